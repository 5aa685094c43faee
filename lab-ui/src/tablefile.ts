/** A table in a CSV file, read by the page itself: what lab/upload.py does where there is Python. */
import { parseCsv } from "./csv";
import type { Column } from "./pack";
import { Refusal } from "./refusal";
import type { Table } from "./table";

const MOST_ROWS = 20_000;
const MOST_COLUMNS = 500;
const MOST_LEVELS = 20; // different values up to which a column can be the class
const EMPTY = new Set(["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]);
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export function readTableFile(content: ArrayBuffer, name: string): Table {
  const text = decoded(content, name);
  const [header, ...lines] = parseCsv(text, delimiterOf(text)).filter((row) => row.some((cell) => cell.trim() !== ""));
  if (!header || lines.length === 0) throw new Refusal(`${name} has no rows: it needs a header and rows of values.`);
  if (lines.length > MOST_ROWS || header.length > MOST_COLUMNS) {
    throw new Refusal(`${name} is larger than ${MOST_ROWS} rows or ${MOST_COLUMNS} columns, the most the lab draws.`);
  }
  const uneven = lines.findIndex((row) => row.length !== header.length);
  if (uneven >= 0) {
    throw new Refusal(`${name}: row ${uneven + 1} has ${lines[uneven].length} cells, the header has ${header.length}.`);
  }
  const rows = lines.map((row) => row.map((cell) => cell.trim()));
  const complete = rows.filter((row) => !row.some((cell) => EMPTY.has(cell)));
  if (complete.length === 0) {
    throw new Refusal(`${name}: every row has an empty cell; fill them, or leave columns out.`);
  }
  return sorted(header.map((cell) => cell.trim()), complete, name, rows.length - complete.length);
}

function decoded(content: ArrayBuffer, name: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    if (!text.includes("\0")) return text;
  } catch {
    // said below
  }
  throw new Refusal(`${name} is not text: save it as CSV first.`);
}

/** The sign that the header has most of. */
function delimiterOf(text: string): string {
  const first = text.slice(0, text.search(/[\r\n]|$/));
  const counted = [",", ";", "\t"].map((sign) => ({ sign, many: first.split(sign).length }));
  return counted.reduce((a, b) => (b.many > a.many ? b : a)).sign;
}

/** Columns of numbers are features; columns of few different values can be the class. */
function sorted(header: string[], rows: string[][], name: string, incomplete: number): Table {
  const empty = { numbers: [], levels: {}, ignored: [], target: null, columns: {} };
  const table: Table = { name, rows: rows.length, incomplete, ...empty };
  header.forEach((column, j) => {
    const cells = rows.map((row) => row[j]);
    const numeric = cells.every((cell) => NUMBER.test(cell) && Number.isFinite(Number(cell)));
    const values: (string | number)[] = numeric ? cells.map(Number) : cells;
    const different = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
    const few = different.length >= 2 && different.length <= MOST_LEVELS;
    if (numeric) {
      table.numbers.push(column);
      table.columns[`number ${column}`] = Float64Array.from(values as number[]);
    }
    if (few) {
      table.levels[column] = different.map(String);
      table.columns[`code ${column}`] = coded(values, different);
    }
    if (!numeric && !few) table.ignored.push(column);
  });
  const usable = Object.keys(table.levels);
  if (usable.length === 0 || new Set([...table.numbers, ...usable]).size < 2) {
    throw new Refusal(
      `${name} needs a column with two to ${MOST_LEVELS} different values to be the class, and another of numbers or ` +
        `such values to learn from; its columns are ${header.join(", ")}.`,
    );
  }
  return table;
}

function coded(values: (string | number)[], different: (string | number)[]): Column {
  const places = new Map(different.map((value, code) => [value, code]));
  return Int32Array.from(values, (value) => places.get(value)!);
}
