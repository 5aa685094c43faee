/** The first sheet of a workbook (.xlsx): a zip of XML files, unpacked by the browser itself. */
import { Refusal } from "./refusal";
import type { Table } from "./table";
import { tableOf } from "./tablefile";

const MOST_BYTES = 1 << 28; // unpacked

export function isSheet(name: string): boolean {
  return name.toLowerCase().endsWith(".xlsx");
}

export async function readSheet(content: ArrayBuffer, name: string): Promise<Table> {
  const files = entries(content);
  if (!files) throw new Refusal(`${name} is not a workbook: save it again as .xlsx, or as CSV.`);
  const xml = async (path: string): Promise<Document | null> => {
    const packed = files.get(path);
    return packed ? new DOMParser().parseFromString(await unpacked(packed), "text/xml") : null;
  };
  const sheets = [...files.keys()].filter((one) => /^xl\/worksheets\/sheet\d+\.xml$/.test(one)).sort(byNumber);
  const sheet = sheets[0] ? await xml(sheets[0]) : null;
  if (!sheet) throw new Refusal(`${name} has no sheet that this page reads: save it as CSV.`);
  const shared = [...((await xml("xl/sharedStrings.xml"))?.getElementsByTagName("si") ?? [])].map(textOf);
  const rows = rowsOf(sheet, shared, datesOf(await xml("xl/styles.xml")));
  return tableOf(rows, sheets.length > 1 ? `${name}, the first of ${sheets.length} sheets` : name);
}

/** Of each style of cells, whether it shows a number as a date. */
function datesOf(styles: Document | null): boolean[] {
  const formats = [...(styles?.getElementsByTagName("numFmt") ?? [])];
  const dates = formats.filter((one) => /[dmyhs]/i.test(one.getAttribute("formatCode")!.replace(/"[^"]*"|\[[^\]]*\]|\\./g, "")));
  const own = new Set(dates.map((one) => Number(one.getAttribute("numFmtId"))));
  const usual = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 45 && id <= 47);
  const used = [...(styles?.querySelectorAll("cellXfs > xf") ?? [])].map((one) => Number(one.getAttribute("numFmtId")));
  return used.map((id) => usual(id) || own.has(id));
}

function byNumber(a: string, b: string): number {
  const of = (path: string): number => Number(/\d+/.exec(path)![0]);
  return of(a) - of(b);
}

function textOf(item: Element): string {
  return [...item.getElementsByTagName("t")].map((one) => one.textContent).join("");
}

/** Rows of equal length; a cell that is not written is empty. */
function rowsOf(sheet: Document, shared: string[], dates: boolean[]): string[][] {
  const rows = [...sheet.getElementsByTagName("row")].map((row) => {
    const cells: string[] = [];
    for (const cell of row.getElementsByTagName("c")) cells[columnOf(cell.getAttribute("r"), cells.length)] = valueOf(cell, shared, dates);
    return cells;
  });
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return rows.map((row) => Array.from({ length: width }, (_, j) => row[j] ?? "")).filter((row) => row.some((cell) => cell !== ""));
}

/** C7 is the third column; a cell without a place follows the last one. */
function columnOf(place: string | null, next: number): number {
  const letters = /^[A-Z]+/.exec(place ?? "")?.[0];
  if (!letters) return next;
  return [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
}

/** What a cell holds: a number as the float it is, a date as a text; an error such as #N/A is a missing value. */
function valueOf(cell: Element, shared: string[], dates: boolean[]): string {
  const kind = cell.getAttribute("t") ?? "n";
  if (kind === "inlineStr") return textOf(cell);
  const value = cell.getElementsByTagName("v")[0]?.textContent ?? "";
  if (kind === "s") return shared[Number(value)] ?? "";
  if (kind === "b") return value === "1" ? "true" : "false";
  if (kind === "e") return "";
  if (kind !== "n" || value === "") return value;
  const day = new Date(Math.round((Number(value) - 25569) * 86_400_000)); // 25569 is 1970-01-01
  if (!dates[Number(cell.getAttribute("s"))] || Number.isNaN(day.getTime())) return String(Number(value));
  return day.toISOString().replace("T00:00:00.000Z", "").replace("T", " ").replace(/(\.000)?Z$/, "");
}

interface Packed {
  bytes: Uint8Array<ArrayBuffer>;
  stored: boolean;
}

/** The files in a zip, by the list at its end; null where there is none. */
function entries(content: ArrayBuffer): Map<string, Packed> | null {
  const view = new DataView(content);
  let end = content.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) return null;
  const found = new Map<string, Packed>();
  let at = view.getUint32(end + 16, true);
  try {
    for (let k = view.getUint16(end + 10, true); k > 0; k--) {
      const [method, size, start] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)];
      const [named, extra, comment] = [28, 30, 32].map((from) => view.getUint16(at + from, true));
      const name = new TextDecoder().decode(new Uint8Array(content, at + 46, named));
      const body = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
      found.set(name, { bytes: new Uint8Array(content, body, size), stored: method === 0 });
      at += 46 + named + extra + comment;
    }
  } catch {
    return null; // a list that points outside
  }
  return found;
}

async function unpacked({ bytes, stored }: Packed): Promise<string> {
  if (stored) return new TextDecoder().decode(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST_BYTES) throw new Refusal("The workbook is larger than this page unpacks: save it as CSV.");
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
  return new Blob(parts).text();
}
