/** X and y from a CSV file with a header, by the certificate's `table`. */
import { parseCsv } from "../csv";
import { md5Start } from "../md5";
import type { Given } from "./check";
import type { Json, JsonObject } from "./json";
import { field, OtherData, Refused } from "./reading";

const WIDEST_TABLE = 1 << 20; // columns of X
const MOST_DEGREE = 9;

type Cells = Map<string, string | null>;

interface Column {
  name: string;
  kind: string;
  levels: string[];
  buckets: number;
  /** How many levels or buckets have no column, being what others are measured against. */
  reference: number;
  /** Whether a missing value has a column of its own. */
  missing: boolean;
}

interface Table {
  columns: Column[];
  target: string | null;
  counts: string[] | null;
  positive: string;
  drop: boolean;
  na: string[];
  weights: string | null;
  degree: number;
  delimiter: string;
}

/** The rows, and a sentence that says how they were read; throws `Refused` or `OtherData`. */
export function rebuild(certificate: Json, file: Uint8Array): Given & { told: string } {
  const table = described(field(certificate, "table", "object") as JsonObject);
  checkTable(table, (certificate as JsonObject).get("p"));
  const [header, ...rows] = parseCsv(decoded(file), table.delimiter);
  const lines = rows.filter((row) => row.length > 0).map((row) => readLine(cellsOf(header, row, table), table));
  const X = lines.flatMap(({ x, labels }) => labels.map(() => x));
  const dropped = lines.filter(({ labels }) => labels.length === 0).length;
  const columns = table.columns.map(({ name, kind }) => `${name} (${kind})`).join(", ");
  const target = table.counts ? `['${table.counts.join("', '")}']` : table.target;
  const left = dropped ? `; ${dropped} rows dropped, because a value is missing or they weigh nothing` : "";
  const told = `${lines.length} rows, target ${target}, columns ${columns}${left}`;
  return { X, y: lines.flatMap(({ labels }) => labels), told };
}

function misfit(why: string): never {
  throw new OtherData(`the table does not fit: ${why}`);
}

function decoded(file: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch {
    return misfit("the file is not text in UTF-8");
  }
}

// ------------------------------------------------------------------------------------------------- how it is described

function described(table: JsonObject): Table {
  const counts = table.get("counts");
  const listed = counts === undefined || counts === null ? null : texts(counts, "counts");
  return {
    columns: columnsOf(table.get("columns")),
    target: listed?.length ? null : text(table.get("target"), "target"),
    counts: listed?.length ? listed : null,
    positive: written(table.get("positive")),
    drop: table.get("missing") === "drop",
    na: table.has("na") ? texts(table.get("na")!, "na") : [],
    weights: table.has("weights") ? text(table.get("weights"), "weights") : null,
    degree: whole(table.get("degree") ?? 1n),
    delimiter: table.has("delimiter") ? text(table.get("delimiter"), "delimiter") : ",",
  };
}

function columnsOf(given: Json | undefined): Column[] {
  if (given === "" || (given instanceof Map && given.size === 0)) return [];
  return Array.isArray(given) ? given.map(column) : misfit("it has no columns");
}

function column(given: Json): Column {
  if (!(given instanceof Map)) return misfit("a column is not described");
  return {
    name: text(given.get("name"), "name"),
    kind: given.has("kind") ? String(given.get("kind")) : misfit("a column has no kind"),
    levels: given.has("levels") ? texts(given.get("levels")!, "levels") : [],
    buckets: whole(given.get("buckets") ?? 0n),
    reference: whole(given.get("reference") ?? 0n),
    missing: isTrue(given.get("missing")),
  };
}

function text(given: Json | undefined, name: string): string {
  return typeof given === "string" ? given : misfit(`its ${name} is no text`);
}

function texts(given: Json, name: string): string[] {
  return Array.isArray(given) ? given.map((one) => text(one, name)) : misfit(`its ${name} is no list`);
}

function whole(given: Json): number {
  if (typeof given === "boolean") return Number(given);
  return typeof given === "bigint" ? Number(given) : misfit("a whole number is missing");
}

function isTrue(given: Json | undefined): boolean {
  return given !== undefined && given !== null && given !== false && given !== 0n && given !== 0 && given !== "";
}

/** A label as a table has it. */
function written(given: Json | undefined): string {
  if (given === undefined) return misfit("it has no positive class");
  const isWhole = Number.isInteger(given) && Math.abs(given as number) < 1e16;
  if (typeof given === "number") return isWhole ? `${given}.0` : String(given);
  if (typeof given === "boolean") return given ? "True" : "False";
  return String(given);
}

/** Refuse a target among the features, and more columns than the certificate is about. */
function checkTable({ columns, target, counts, degree }: Table, p: Json | undefined): void {
  const told = new Set([target, ...(counts ?? [])]);
  if (columns.some(({ name }) => told.has(name))) {
    throw new Refused("its target is among the columns that should tell it");
  }
  let width = 0;
  for (const { kind, levels, buckets, reference, missing } of columns) {
    if (!["number", "boolean", "category", "hash"].includes(kind)) {
      throw new Refused(`this checker knows no column of the kind ${kind}`);
    }
    const inner = kind === "category" ? levels.length : kind === "hash" ? buckets : 1;
    width += inner - (reference ? 1 : 0) + (missing ? 1 : 0);
  }
  const possible = degree >= 1 && degree <= MOST_DEGREE && width <= WIDEST_TABLE && typeof p === "bigint";
  if (!possible || products(width, degree) !== p || p > WIDEST_TABLE) {
    throw new Refused("its table does not describe the columns it is about, or they are too many");
  }
}

/** How many products of up to so many columns there are. */
function products(width: number, degree: number): bigint {
  let found = 1n;
  for (let k = 1; k <= degree; k++) found = (found * BigInt(width + k)) / BigInt(k);
  return found - 1n;
}

// ------------------------------------------------------------------------------------------------------ how it is read

function cellsOf(header: string[], row: string[], { na }: Table): Cells {
  return new Map(
    header.map((name, j) => {
      const cell = j < row.length ? row[j] : null;
      return [name, cell === null || cell === "" || na.includes(cell) ? null : cell];
    }),
  );
}

function cell(cells: Cells, name: string): string | null {
  const found = cells.get(name);
  return found === undefined ? misfit(`it has no column ${name}`) : found;
}

/** The row x of a line, and its labels: one; none where it is dropped; two of a group with both outcomes. */
function readLine(cells: Cells, table: Table): { x: number[]; labels: number[] } {
  const encoded = table.columns.map((one) => encode(one, cell(cells, one.name)));
  const labels: number[] = [];
  let known = true;
  if (table.counts) {
    const [successes, failures] = table.counts.map((name) => float(cell(cells, name) ?? "nan"));
    if (successes > 0) labels.push(1);
    if (failures > 0) labels.push(-1);
    known = successes + failures >= 0;
  } else {
    const label = cell(cells, table.target!);
    labels.push(label === table.positive ? 1 : -1);
    known = label !== null;
  }
  const absent = !known || encoded.includes(null);
  if (absent && !table.drop) misfit("a value is missing");
  const weighs = table.weights === null || float(cell(cells, table.weights) ?? "0") > 0;
  if (absent || !weighs) return { x: [], labels: [] };
  const x = (encoded as number[][]).flat();
  const terms = Array.from({ length: table.degree - 1 }, (_, k) => combinations(x, k + 2)).flat();
  return { x: [...x, ...terms.map((term) => term.reduce((product, v) => product * v, 1))], labels };
}

/** All products of so many values, in the order of their places. */
function combinations(x: number[], size: number, from = 0): number[][] {
  if (size === 0) return [[]];
  return x.slice(from).flatMap((v, k) => combinations(x, size - 1, from + k).map((rest) => [v, ...rest]));
}

/** The numbers that stand for a cell; null where it is missing and has no place of its own. */
function encode({ kind, levels, buckets, reference, missing }: Column, given: string | null): number[] | null {
  let lost = given === null,
    values: number[];
  if (kind === "number") {
    const value = given === null ? NaN : float(given);
    lost = Number.isNaN(value);
    values = [lost ? 0 : value];
  } else if (kind === "boolean") {
    const place = given === null ? 0 : ["false", "true"].indexOf(given.toLowerCase());
    if (place < 0) misfit(`${given} is neither true nor false`);
    values = [place];
  } else {
    const place = given === null ? -1 : kind === "category" ? levels.indexOf(given) : md5Start(given) % buckets;
    if (given !== null && place < 0) misfit(`${given} is not in its list of levels`);
    const size = kind === "category" ? levels.length : buckets;
    values = Array.from({ length: Math.max(0, size - reference) }, (_, i) => (i + reference === place ? 1 : 0));
  }
  return missing ? [...values, lost ? 1 : 0] : lost ? null : values;
}

const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)$/i;

/** A number as Python's `float` reads it. */
function float(given: string): number {
  const plain = given.trim().replace(/(\d)_(?=\d)/g, "$1");
  if (!FLOAT.test(plain)) return misfit(`${given} is no number`);
  if (/nan/i.test(plain)) return NaN;
  if (/inf/i.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
  return Number(plain);
}
