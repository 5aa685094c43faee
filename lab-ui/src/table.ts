/** A table of one's own: which column is the class, and which of its values is the positive one. */
import { Data, oneAgainst } from "./data";
import { asked, count, h } from "./dom";
import { unpack, type Column } from "./pack";

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
  const closed = await asked(
    root,
    "Open a table",
    h("p", { class: "muted" }, about(table, usable)),
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
  );
  return closed === "yes" ? toData(table, target.value, Number(positive.value)) : null;
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
  const X = new Float64Array(table.rows * names.length);
  for (let i = 0; i < table.rows; i++) columns.forEach(({ value }, j) => (X[i * names.length + j] = value(i)));
  const data = Data.table(names, levels, X, codes, positive, table.name);
  data.scaled = true;
  if (names.length !== 2) data.view = { kind: "all" };
  return data;
}
