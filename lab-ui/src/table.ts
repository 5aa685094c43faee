/** A table of one's own: which column is the class, and which of its values is the positive one. */
import { Data, oneAgainst } from "./data";
import { count, h } from "./dom";
import { unpack, type Column } from "./pack";

const DRAWN = 10_000; // rows

export interface Table {
  name: string;
  rows: number;
  numbers: string[];
  levels: Record<string, string[]>;
  ignored: string[];
  incomplete: number;
  target: string | null;
  columns: Record<string, Column>;
}

export function readTable(buffer: ArrayBuffer): Table {
  const { header, columns } = unpack(buffer);
  return { ...(header as unknown as Omit<Table, "columns">), columns };
}

/** Ask which column is the class, unless that has been said already; null if the person cancels. */
export async function chooseTarget(table: Table, root: HTMLElement): Promise<Data | null> {
  if (table.target !== null) return toData(table, table.target, table.levels[table.target].length - 1);
  const usable = Object.keys(table.levels);
  const target = h("select", { id: "lab-target" }, ...usable.map((name) => h("option", {}, name)));
  const positive = h("select", { id: "lab-positive" });
  const against = h("p", { class: "muted small", role: "status" });
  const say = (): void => {
    const levels = table.levels[target.value];
    against.textContent = levels.length > 2 ? `${oneAgainst(levels, Number(positive.value))}.` : "";
  };
  const refresh = (): void => {
    positive.replaceChildren(...table.levels[target.value].map((level, i) => h("option", { value: i }, level)));
    positive.value = String(table.levels[target.value].length - 1);
    say();
  };
  target.value = likely(usable, table);
  target.addEventListener("change", refresh);
  positive.addEventListener("change", say);
  refresh();
  const chosen = await asked(about(table, usable), [target, positive, against], root);
  return chosen ? toData(table, target.value, Number(positive.value)) : null;
}

/** What there is in a table, and what is left out. */
function about(table: Table, usable: string[]): string {
  const texts = usable.filter((name) => !table.numbers.includes(name)).length;
  const said = [
    count(table.rows, "row"),
    count(table.numbers.length, "column of numbers", "columns of numbers"),
    `${texts} of text`,
  ];
  if (table.incomplete) said.push(`${count(table.incomplete, "row")} with empty cells left out`);
  if (table.ignored.length)
    said.push(`not used: ${table.ignored.slice(0, 6).join(", ")}${table.ignored.length > 6 ? " …" : ""}`);
  return said.join(" · ");
}

/** The dialog; whether the table is to be opened. */
async function asked(words: string, [target, positive, against]: HTMLElement[], root: HTMLElement): Promise<boolean> {
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": "lab-table-title" },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "lab-table-title" }, "Open a table"),
      h("p", { class: "muted" }, words),
      h("label", { for: "lab-target" }, "The class is column"),
      target,
      h("label", { for: "lab-positive" }, "The positive class is"),
      positive,
      against,
      h(
        "div",
        { class: "dialog-buttons" },
        h("button", { value: "no" }, "Cancel"),
        h("button", { value: "yes", class: "primary" }, "Open"),
      ),
    ),
  );
  root.append(dialog);
  dialog.showModal();
  await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
  dialog.remove();
  return dialog.returnValue === "yes";
}

/** The column that most tables mean: by its name, or the last one that is text. */
function likely(usable: string[], table: Table): string {
  const byName = usable.find((name) => /^(y|class|target|label|species|outcome)$/i.test(name));
  return byName ?? usable.filter((name) => !table.numbers.includes(name)).pop() ?? usable[usable.length - 1];
}

/** Numbers as they are; a text as a column for each of its values, 1 where it has it (of two values one is enough). */
function features(table: Table, target: string): { name: string; value: (i: number) => number }[] {
  return [...new Set([...table.numbers, ...Object.keys(table.levels)])]
    .filter((name) => name !== target)
    .flatMap((name) => {
      const numbers = table.columns[`number ${name}`];
      if (numbers) return [{ name, value: (i: number) => numbers[i] }];
      const codes = table.columns[`code ${name}`],
        levels = table.levels[name];
      const told = levels.map((level, code) => ({
        name: `${name}=${level}`,
        value: (i: number) => (codes[i] === code ? 1 : 0),
      }));
      return levels.length === 2 ? told.slice(1) : told;
    });
}

function toData(table: Table, target: string, positive: number): Data {
  const columns = features(table, target);
  const names = columns.map((column) => column.name);
  const levels = table.levels[target],
    codes = table.columns[`code ${target}`];
  const shown = Math.min(table.rows, DRAWN);
  const at = (k: number): number => Math.floor((k * table.rows) / shown); // every row, or evenly over all
  const rows = Array.from({ length: shown }, (_, k) => columns.map((column) => column.value(at(k))));
  const y = Array.from({ length: shown }, (_, k) => (codes[at(k)] === positive ? 1 : -1));
  const data = new Data(names, [levels[1 - positive] ?? "", levels[positive]], rows, y, table.name);
  if (levels.length > 2) {
    data.several = { levels, codes: Array.from({ length: shown }, (_, k) => codes[at(k)]), positive };
    data.against(positive);
  }
  if (shown < table.rows) {
    const X = new Float64Array(table.rows * names.length);
    for (let i = 0; i < table.rows; i++) columns.forEach((column, j) => (X[i * names.length + j] = column.value(i)));
    data.whole = { n: table.rows, X, codes, positive };
    data.scale = scaleOf(X, names.length);
  }
  data.scaled = true;
  if (names.length !== 2) data.view = { kind: "all" };
  return data;
}

/** Mean and deviation of each column. */
function scaleOf(X: Float64Array, width: number): Data["scale"] {
  const n = X.length / width;
  const columns = Array.from({ length: width }, (_, j) => j);
  const mean = columns.map((j) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += X[i * width + j];
    return sum / n;
  });
  const deviation = columns.map((j) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += (X[i * width + j] - mean[j]) ** 2;
    return Math.sqrt(sum / n) || 1;
  });
  return { mean, deviation };
}
