/**
 * Check a certificate of separability: docs/reference/certificate.md in TypeScript, beside verdicts/checker.py.
 *
 * It shares no code with `proof/`, which finds proofs; nothing in a certificate is believed. All rows z are brought to
 * whole numbers of one unit, Z = z·unit, so that nothing rounds. `rebuild.ts` makes rows from a table.
 */
import { sha256 } from "../sha256";
import { fates } from "./coefficients";
import { mixtureOf, provedInterval, type Ends } from "./intervals";
import type { Json, JsonObject } from "./json";
import { dotWhole, elements, field, list, NotRead, onlyFields, OtherData, Refused, signOf, spans, vector } from "./reading";
import { wholeRows } from "./rows";
import { proved } from "./words";

const COMMON = {
  format: "text",
  verdict: "text",
  n: "whole",
  p: "whole",
  fit_intercept: "boolean",
  layout: "text",
  data_sha256: "text",
  classes: "list",
  features: "list",
  table: "object",
} as const;
const MOST_DECIMALS = 15n;

/** Rows of floats and labels, −1 or +1. */
export interface Given {
  X: number[][];
  y: number[];
}

/** Throws `NotRead` for a certificate of a later version than this checker knows. */
export function refuseNewer(certificate: Json): void {
  if (certificate instanceof Map && certificate.get("format") === "rosenblatt-certificate/3") {
    throw new NotRead("certificates of version 3 are checked by checker.py; this checker reads versions 1 and 2");
  }
}

/** What is proved, in words; throws `Refused` or `OtherData`. */
export function check(certificate: Json, given: Given): string {
  const { bias, kind, object, d } = schema(certificate);
  aboutThese(object, given);
  const powers = object.has("decimals") ? (object.get("decimals") as (bigint | null)[]) : null;
  const { Z, unit } = wholeRows(given.X, given.y, bias, powers);
  const w = kind === "overlap" ? null : vector(object.get("w"), d);
  const signs = w ? sides(Z, w, kind === "complete") : Z.map(() => 0);
  const plane = Z.map((_, i) => i).filter((i) => signs[i] === 0);
  const rows = { Z, unit, signs, plane, d };
  const kinds = object.has("coefficients") ? fates(object.get("coefficients")!, kind, rows) : [];
  if (kind === "complete") {
    const found: Partial<Record<"margin" | "street", Ends>> = {};
    for (const name of ["margin", "street"] as const) {
      if (object.has(name)) found[name] = provedInterval(name, object.get(name)!, rows, w!);
    }
    return proved(kind, Z.length, 0, 0, found, kinds);
  }
  const mixture = mixtureOf(object.get("lambda"), object.get("base"), plane, d);
  const total = new Array<bigint>(d).fill(0n);
  for (const [i, m] of mixture) Z[i].forEach((v, j) => (total[j] += m * v));
  if (total.some((v) => v !== 0n)) throw new Refused("the mixture does not vanish");
  if (!object.has("base")) spans([...mixture.keys()], object.get("null"), rows, plane);
  return proved(kind, Z.length, plane.length, mixture.size, {}, kinds);
}

/** Refuse data of another shape, with another hash, or with values that are no numbers. */
function aboutThese(object: JsonObject, { X, y }: Given): void {
  const [n, p] = [object.get("n"), object.get("p")];
  const fits = X.length === y.length && BigInt(y.length) === n && X.every((x) => BigInt(x.length) === p);
  if (!fits || y.some((t) => t !== 1 && t !== -1)) throw new OtherData(`it is about ${n} rows and ${p} columns`);
  if (object.get("data_sha256") !== digest({ X, y }, object.get("layout") as string)) {
    throw new OtherData("the data have another hash");
  }
  if (!X.flat().every(Number.isFinite)) throw new OtherData("a value is not a finite number");
}

/** The sign of z·w on every row: none is negative and some is positive; of complete data all are. */
function sides(Z: bigint[][], w: bigint[], complete: boolean): number[] {
  const signs = Z.map((z) => signOf(dotWhole(z, w)));
  const least = [-1, 0].find((sign) => signs.includes(sign)) ?? 1;
  if (least < 0 || (complete && least === 0) || !signs.includes(1)) {
    throw new Refused(`row ${signs.indexOf(least)} is not where w should have it`);
  }
  return signs;
}

interface Schema {
  object: JsonObject;
  bias: boolean;
  /** Weights, the bias included. */
  d: number;
  kind: "complete" | "quasi" | "overlap";
}

/** Exactly the fields of its verdict and version. */
function schema(certificate: Json): Schema {
  for (const [name, kind] of Object.entries(COMMON)) field(certificate, name, kind);
  const object = certificate as JsonObject;
  const [n, p, bias] = ["n", "p", "fit_intercept"].map((name) => object.get(name)) as [bigint, bigint, boolean];
  const kind = object.get("verdict") as string;
  const format = object.get("format");
  if (format !== "rosenblatt-certificate/1" && format !== "rosenblatt-certificate/2") {
    throw new Refused("it has an unknown format");
  }
  const layout = object.get("layout");
  const known = kind === "complete" || kind === "quasi" || kind === "overlap";
  if ((layout !== "dense" && layout !== "csr") || !known || n < 1n) {
    throw new Refused("it has an unknown layout or verdict, or no rows");
  }
  const newer = format.endsWith("2");
  const span = ["lambda", object.has("base") ? "base" : "null"];
  const needed = { complete: ["w"], quasi: ["w", ...span], overlap: span }[kind];
  const allowed = newer ? ["coefficients", "decimals"] : [];
  if (kind === "complete") allowed.push("margin", ...(bias && newer ? ["street"] : []));
  const why = "its fields are not those of its verdict and version";
  onlyFields(object, [...Object.keys(COMMON), ...needed], allowed, why);
  if (object.has("decimals")) decimals(object.get("decimals")!, p);
  return { object, bias, kind, d: Number(p) + (bias ? 1 : 0) };
}

function decimals(given: Json, p: bigint): void {
  const powers = list(given, p);
  const kinds = powers.every((k) => k === null || typeof k === "bigint");
  if (BigInt(powers.length) < p || !kinds || !powers.some((k) => k)) {
    throw new Refused("its decimals are not one power of ten a column");
  }
  if (elements(powers).some((k) => k < 0n || k > MOST_DECIMALS)) {
    throw new Refused("it has a power of ten whose decimals floats do not tell apart");
  }
}

/** SHA-256 over X as little-endian float64, −0.0 as 0.0, then y as int8; csr: row starts, columns, other values. */
export function digest({ X, y }: Given, layout: string): string {
  const sparse = layout === "csr";
  const columns = X.map((x) => x.map((_, j) => j).filter((j) => !sparse || x[j] !== 0));
  const count = columns.reduce((sum, some) => sum + some.length, 0);
  const bytes = new Uint8Array(8 * (count + (sparse ? X.length + 1 + count : 0)) + y.length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  const put = (write: () => void): void => {
    write();
    at += 8;
  };
  if (sparse) {
    let start = 0;
    for (const some of [[], ...columns]) put(() => view.setBigInt64(at, BigInt((start += some.length)), true));
    for (const some of columns) for (const j of some) put(() => view.setBigInt64(at, BigInt(j), true));
  }
  columns.forEach((some, i) => some.forEach((j) => put(() => view.setFloat64(at, X[i][j] + 0, true))));
  bytes.set(Int8Array.from(y), at);
  return sha256(bytes);
}

