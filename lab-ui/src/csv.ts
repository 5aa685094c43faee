/**
 * Comma-separated values, at most so many rows: a quoted cell may hold delimiters, line ends and doubled quotes. `odd`
 * hears of a quote that is not closed, or closed in the middle of a cell.
 */
export function parseCsv(text: string, delimiter: string, most = Infinity, odd?: () => never): string[][] {
  const rows: string[][] = [];
  let row: string[] = [],
    cell = "",
    quoted = false, // inside quotes
    begun = false; // whether this line has anything
  const endCell = (): void => {
    row.push(cell);
    cell = "";
  };
  const endRow = (): void => {
    if (begun) endCell();
    rows.push(row);
    row = [];
    begun = false;
  };
  for (let at = 0; at < text.length && rows.length < most; at++) {
    const c = text[at];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[at + 1] === '"') cell += text[++at];
      else {
        quoted = false;
        if (![delimiter, "\n", "\r", undefined].includes(text[at + 1])) odd?.();
      }
    } else if (c === "\n" || c === "\r") {
      if (c === "\r" && text[at + 1] === "\n") at++;
      endRow();
    } else {
      const first = cell === "" && (!begun || text[at - 1] === delimiter);
      begun = true;
      if (c === delimiter) endCell();
      else if (c === '"' && first) quoted = true;
      else cell += c;
    }
  }
  if (quoted) odd?.();
  if (begun) endRow();
  return rows;
}
