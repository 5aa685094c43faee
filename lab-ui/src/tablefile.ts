/** A table in a CSV file, read by the page itself: what lab/upload.py does where there is Python. */
import { parseCsv } from "./csv";
import { whole } from "./dom";
import type { Column } from "./pack";
import { Refusal } from "./refusal";
import type { Table } from "./table";
import { FARTHEST } from "./types";

const MOST_ROWS = 500_000;
const MOST_COLUMNS = 500;
const MOST_LEVELS = 20; // different values up to which a column can be the class
const EMPTY = new Set(["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]);
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const WITH_COMMA = /^[+-]?\d+(?:,\d+)?$/;

export function readTableFile(content: ArrayBuffer, name: string): Table {
  const text = decoded(content, name);
  const delimiter = delimiterOf(text);
  return tableOf(parseCsv(text, delimiter), name, delimiter !== ",");
}

/** A table of cells, the first row its header; `commas`: 1,5 may be a number. */
export function tableOf(cells: string[][], name: string, commas: boolean): Table {
  const [header, ...lines] = cells.filter((row) => row.some((cell) => cell.trim() !== ""));
  if (!header || lines.length === 0) throw new Refusal(`${name} has no rows: it needs a header and rows of values.`);
  if (lines.length > MOST_ROWS || header.length > MOST_COLUMNS) {
    throw new Refusal(
      `${name} has more than ${whole(MOST_ROWS)} rows or ${MOST_COLUMNS} columns, the most the lab reads; ` +
        "“rosenblatt check” in a terminal takes tables of any size.",
    );
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
  const names = header.map((cell) => cell.trim());
  const twice = names.find((column, j) => names.indexOf(column) < j);
  if (twice !== undefined) throw new Refusal(`${name} has two columns called “${twice}”: rename one of them.`);
  return sorted(names, complete, name, rows.length - complete.length, commas);
}

/** Text in UTF-8, in UTF-16 with its mark, or else in Windows-1252, which spreadsheets write. */
function decoded(content: ArrayBuffer, name: string): string {
  const [first, second] = new Uint8Array(content, 0, Math.min(2, content.byteLength));
  const marked = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  let text: string;
  try {
    text = new TextDecoder(marked, { fatal: true }).decode(content);
  } catch {
    text = new TextDecoder("windows-1252").decode(content);
  }
  if (text.includes("\0")) throw new Refusal(`${name} is not text: save it as CSV first.`);
  return text;
}

/** The sign that the header has most of. */
function delimiterOf(text: string): string {
  const first = text.slice(0, text.search(/[\r\n]|$/));
  const counted = [",", ";", "\t"].map((sign) => ({ sign, many: first.split(sign).length }));
  return counted.reduce((a, b) => (b.many > a.many ? b : a)).sign;
}

/** The numbers of a column: 1.5, 15 % as 0.15, and 1,5 where commas are no delimiters; null where it has other cells. */
function numbersOf(cells: string[], commas: boolean): number[] | null {
  const percent = cells.every((cell) => cell.endsWith("%"));
  let written = percent ? cells.map((cell) => cell.slice(0, -1).trim()) : cells;
  // 1,234 alone may be a thousand: some cell must have another number of digits after its comma
  if (commas && written.every((cell) => WITH_COMMA.test(cell)) && written.some((cell) => /,(?!\d{3}$)/.test(cell))) {
    written = written.map((cell) => cell.replace(",", "."));
  }
  if (!written.every((cell) => NUMBER.test(cell) && Number.isFinite(Number(cell)))) return null;
  return written.map((cell) => Number(cell) / (percent ? 100 : 1));
}

/** Columns of numbers are features; columns of few different values can be the class. */
function sorted(header: string[], rows: string[][], name: string, incomplete: number, commas: boolean): Table {
  const empty = { numbers: [], levels: {}, ignored: [], target: null, columns: {} };
  const table: Table = { name, rows: rows.length, incomplete, ...empty };
  header.forEach((column, j) => {
    const cells = rows.map((row) => row[j]);
    const numbers = numbersOf(cells, commas);
    const values: (string | number)[] = numbers ?? cells;
    const different = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
    const few = different.length >= 2 && different.length <= MOST_LEVELS;
    if (numbers) {
      if (numbers.some((v) => Math.abs(v) > FARTHEST)) {
        throw new Refusal(`${name}: column “${column}” has a value above ${FARTHEST}, too far out for the lab.`);
      }
      table.numbers.push(column);
      table.columns[`number ${column}`] = Float64Array.from(numbers);
    }
    if (few) {
      table.levels[column] = different.map(String);
      table.columns[`code ${column}`] = coded(values, different);
    }
    if (!numbers && !few) table.ignored.push(column);
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
