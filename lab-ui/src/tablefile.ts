/** A table in a CSV file, read by the page as Python reads it (lab/upload.py). */
import { parseCsv } from "./csv";
import { whole } from "./dom";
import type { Column } from "./pack";
import { Refusal } from "./refusal";
import type { Table } from "./table";
import { FARTHEST } from "./types";

const MOST_ROWS = 500_000;
const MOST_COLUMNS = 500;
const MOST_LEVELS = 20; // different values up to which a column can be the class
const MISSING = new Set(["", "NA", "N/A", "n/a", "#N/A", "null", "NULL", "."]); // words that mean it among numbers
const DELIMITERS = ",|;\t"; // of two that fit equally well the later one
const FEW = 50; // rows that tell the delimiter
const BLANKS = " \u00a0\u2009\u202f";
/** Decimal mark and what stands between thousands, in the order in which they are tried; i: Indian groups of two. */
const MARKS = [".", ". ", ",", ".,", ",.", ", ", ".'", ",'", ".’", ",’", ".,i"];

export function readTableFile(content: ArrayBuffer, name: string): Table {
  const text = decoded(content, name);
  const odd = (): never => {
    throw new Refusal(`${name}: a quote (") is opened and never closed, or one inside of quotes is not doubled ("").`);
  };
  return tableOf(parseCsv(text, delimiterOf(text), Infinity, odd), name);
}

/** A table of cells, the first row its header. */
export function tableOf(cells: string[][], name: string): Table {
  const refuse = (why: string): never => {
    throw new Refusal(`${name}${why}`);
  };
  const [header, ...rows] = cells.filter((row) => row.length > 0);
  if (!header || rows.length === 0) return refuse(" has no rows: it needs a header and rows of values.");
  if (header.every((cell) => STRICT.fits.test(cell.trim()))) refuse(" has no header: put a line of column names above the numbers.");
  if (/^sep=.$/.test(header[0])) refuse(` begins with “${header[0]}”, which only Excel understands: remove that line.`);
  if (rows.length > MOST_ROWS || header.length > MOST_COLUMNS) {
    const most = `${whole(MOST_ROWS)} rows or ${MOST_COLUMNS} columns`;
    refuse(` has more than ${most}, the most the lab reads; “rosenblatt check” in a terminal takes tables of any size.`);
  }
  const uneven = rows.findIndex((row) => row.length !== header.length);
  if (uneven >= 0) refuse(`: row ${uneven + 1} has ${rows[uneven].length} cells, the header has ${header.length}.`);
  const twice = header.find((column, j) => column.trim() !== "" && header.indexOf(column) < j);
  if (twice !== undefined) refuse(` has two columns called “${twice}”: rename one of them.`);
  const read = header.map((column, j) => {
    const told = (why: string): never => refuse(`: column “${column}” ${why}`);
    return readColumn(rows.map((row) => row[j]), told);
  });
  // a column without a name cannot be asked for
  const columns = header.flatMap((column, j) => (column.trim() === "" ? [] : [{ column, values: read[j] }]));
  const complete = [...rows.keys()].filter((i) => columns.every(({ values }) => values[i] !== null));
  if (complete.length === 0) refuse(": every row has an empty cell; fill them, or leave columns out.");
  return sorted(columns.map(({ column, values }) => [column, complete.map((i) => values[i]!)]), name, rows.length);
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

/** The one that cuts most rows into as many fields as the header, and the header into most fields. */
function delimiterOf(text: string): string {
  const start = text.slice(0, 1 << 16);
  const fit = (sign: string): number => {
    const [header, ...rows] = parseCsv(start, sign, FEW).filter((row) => row.length > 0);
    const alike = rows.filter((row) => row.length === header.length).length;
    return (header ?? []).length < 2 ? -1 : 1e6 * alike + header.length;
  };
  const fits = [...DELIMITERS].map((sign) => ({ sign, fit: fit(sign) }));
  return fits.reduce((a, b) => (b.fit >= Math.max(0, a.fit) ? b : a)).sign;
}

type Values = (string | number | null)[]; // null where nothing is written

/** How a column writes its numbers. */
interface Reading {
  fits: RegExp;
  /** The text as `Number` reads it. */
  plain: (text: string) => string;
}

function reading(marks: string, percent: boolean): Reading {
  const [decimal, thousands, indian] = marks;
  const group = `[${thousands === " " ? BLANKS : thousands}]`;
  const groups = indian ? `\\d{1,2}(?:${group}\\d\\d)*${group}\\d{3}` : `\\d{1,3}(?:${group}\\d{3})+`;
  const units = thousands ? `(?:${groups}|\\d+)` : "\\d+";
  const ends = percent ? `[${BLANKS}]*%` : "(?:[eE][-+−]?\\d+)?";
  const lost = new RegExp(`[${thousands ?? ""}${BLANKS}%]`, "g");
  return {
    fits: new RegExp(`^[-+−]?(?:${units}(?:[${decimal}]\\d*)?|[${decimal}]\\d+)${ends}$`),
    plain: (text) => text.replace(lost, "").replaceAll("−", "-").replace(decimal, ".") + (percent ? "e-2" : ""),
  };
}

const [STRICT, ...OTHERS] = [false, true].flatMap((percent) => MARKS.map((marks) => reading(marks, percent)));
/** As programs write numbers. */
const PLAIN: Reading = {
  fits: /^[-+]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+)(?:e[-+]?\d+)?$|^[-+]?(?:nan|inf(?:inity)?)$/i,
  plain: (text) => text.replaceAll("_", ""),
};

/**
 * The numbers of a column, where one reading makes every text of it one; else the texts as they are. Where another
 * reading makes other numbers of them, or a float is not the number that is written, the column is refused.
 */
function readColumn(cells: string[], refuse: (why: string) => never): Values {
  const texts = cells.map((cell) => cell.trim());
  const written = texts.filter((_, i) => !MISSING.has(cells[i]));
  const fitting = (all: Reading[]): Reading[] => all.filter(({ fits }) => written.every((text) => fits.test(text)));
  const typeset = written.some((text) => text.includes("−"));
  const plain = cells.every((cell, i) => cell === "" || PLAIN.fits.test(texts[i]));
  const [first, ...others] = plain ? [PLAIN] : fitting([typeset ? STRICT : PLAIN, ...OTHERS]);
  if (!first || written.length === 0) {
    const truths = cells.every((cell) => /^(?:true|false|)$/i.test(cell));
    return cells.map((cell) => (cell === "" ? null : truths ? cell.toLowerCase() : cell));
  }
  const numberOf = ({ plain }: Reading, text: string): number => Number(plain(text));
  for (const other of others) {
    const text = written.find((one) => numberOf(first, one) !== numberOf(other, one));
    if (text === undefined) continue;
    const two = [first, other].map((one) => numberOf(one, text)).join(" or ");
    refuse(`has numbers that can be read in two ways (“${text}” is ${two}): write them without marks between thousands, and with a point.`);
  }
  return texts.map((text, i) => {
    if (MISSING.has(cells[i]) || /nan/i.test(text)) return null;
    if (/inf/i.test(text)) refuse(`has an infinite value, row ${i + 1}: take it out first.`);
    const number = numberOf(first, text);
    if (!isHeld(first.plain(text), number)) {
      refuse(`has ${text}, row ${i + 1}, which a float does not hold: round it to 15 digits; “rosenblatt check” takes it as it is.`);
    }
    if (Math.abs(number) > FARTHEST) refuse(`has a value above ${FARTHEST}, row ${i + 1}, too far out for the lab.`);
    return number;
  });
}

/** Whether a float is written as the number of a text is, zeros aside. */
function isHeld(text: string, number: number): boolean {
  const decimal = (one: string): string => {
    const [, units, part = "", ...powers] = /^[-+]?(\d*)\.?(\d*)(?:e([-+]?\d+))?(?:e(-2))?$/i.exec(one)!;
    const digits = (units + part).replace(/^0+/, "");
    const short = digits.replace(/0+$/, "");
    const power = powers.reduce((sum, one) => sum + Number(one ?? 0), digits.length - short.length - part.length);
    return short && `${short}e${power}`;
  };
  return (text.length <= 15 && !/e/i.test(text)) || (Number.isFinite(number) && decimal(text) === decimal(String(number)));
}

/** Columns of numbers are features; columns of few different values can be the class. */
function sorted(columns: [string, (string | number)[]][], name: string, all: number): Table {
  const rows = columns[0][1].length;
  const table: Table = { name, rows, incomplete: all - rows, numbers: [], levels: {}, ignored: [], target: null, columns: {} };
  for (const [column, values] of columns) {
    const numbers = typeof values[0] === "number";
    const different = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
    const few = different.length >= 2 && different.length <= MOST_LEVELS;
    if (numbers) {
      table.numbers.push(column);
      table.columns[`number ${column}`] = Float64Array.from(values as number[]);
    }
    if (few) {
      table.levels[column] = different.map(String);
      table.columns[`code ${column}`] = coded(values, different);
    }
    if (!numbers && !few) table.ignored.push(column);
  }
  const usable = Object.keys(table.levels);
  if (usable.length === 0 || new Set([...table.numbers, ...usable]).size < 2) {
    throw new Refusal(
      `${name} needs a column with two to ${MOST_LEVELS} different values to be the class, and another of numbers or ` +
        `such values to learn from; its columns are ${columns.map(([column]) => column).join(", ")}.`,
    );
  }
  return table;
}

function coded(values: (string | number)[], different: (string | number)[]): Column {
  const places = new Map(different.map((value, code) => [value, code]));
  return Int32Array.from(values, (value) => places.get(value)!);
}
