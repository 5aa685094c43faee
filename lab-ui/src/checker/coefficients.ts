/**
 * What becomes of each coefficient of a logistic regression: the kinds, proved.
 *
 * `null` is all to which no row responds, `open` all to which no row of the plane does (complete: everything; overlap:
 * null). docs/reference/certificate.md says why each kind follows.
 */
import { mixtureOf } from "./intervals";
import type { Json } from "./json";
import { dotWhole, list, number, onlyFields, Refused, signOf, spans, vector } from "./reading";

export type Fate = "finite" | "+inf" | "-inf" | "undetermined" | "not identified";

interface Rows {
  Z: bigint[][];
  unit: bigint;
  /** Of z·w, on every row. */
  signs: number[];
  plane: number[];
  d: number;
}

const FIELDS = new Map<Json, string[]>([
  ["finite", []],
  ["not identified", []],
  ["undetermined", ["separating"]],
  ["+inf", ["strict", "scale"]],
  ["-inf", ["strict", "scale"]],
]);

export function fates(given: Json, kind: "complete" | "quasi" | "overlap", rows: Rows): Fate[] {
  const { Z, signs, plane, d } = rows;
  const fields = ["rows", "null", "each", ...(kind === "quasi" ? ["open"] : [])];
  const entry = onlyFields(given, fields, [], "its coefficients do not have the fields of such");
  const named = list(entry.get("rows"), d),
    each = list(entry.get("each"), d);
  const there = named.every((i) => typeof i === "bigint" && i >= 0n && i < BigInt(Z.length));
  const some = there ? named.map(Number) : [];
  if (!there || new Set(some).size < some.length || each.length < d) {
    throw new Refused("coefficients are missing, or name a row that is not there, or one twice");
  }
  const all = Z.map((_, i) => i);
  const nothing = spans(some, entry.get("null"), rows, all);
  const onPlane = some.filter((i) => signs[i] === 0);
  if (some.length + nothing.length > d || onPlane.some((i, k) => some[k] !== i)) {
    throw new Refused("the rows of coefficients are dependent, or do not begin with those on the plane");
  }
  let open = nothing;
  if (kind === "complete") open = everything(d);
  if (kind === "quasi") {
    open = spans(onPlane, entry.get("open"), rows, plane);
    if (open.length > d - onPlane.length) {
      throw new Refused("the rows of coefficients and open are not as many as weights");
    }
  }
  return each.map((one, j) => fate(one, j, rows, nothing, open));
}

/** Directions that span all d dimensions. */
function everything(d: number): bigint[][] {
  return Array.from({ length: d }, (_, j) => Array.from({ length: d }, (_, k) => (j === k ? 1n : 0n)));
}

function fate(given: Json, j: number, { Z, unit, signs, d }: Rows, nothing: bigint[][], open: bigint[][]): Fate {
  const kind = (given instanceof Map ? given.get("kind") : undefined) as Fate;
  const why = "a coefficient does not have the fields of its kind";
  const fields = FIELDS.get(kind);
  if (fields === undefined) throw new Refused(why);
  const entry = onlyFields(given, ["kind", ...fields], [], why);
  if ((kind === "not identified") !== nothing.some((v) => v[j] !== 0n)) {
    throw new Refused(`null does not show whether coefficient ${j} is identified`);
  }
  if (kind !== "not identified" && (kind === "finite") === open.some((v) => v[j] !== 0n)) {
    throw new Refused(`the open directions do not show whether coefficient ${j} is finite`);
  }
  if (kind === "undetermined") {
    const w = vector(entry.get("separating"), d);
    const same = Z.every((z, i) => signOf(dotWhole(z, w)) === signs[i]);
    if (w[j] !== 0n || !signs.some((s) => s !== 0) || !same) {
      throw new Refused(`the weights that leave coefficient ${j} out do not, or do not separate`);
    }
  }
  if (kind === "+inf" || kind === "-inf") {
    const strict = signs.map((_, i) => i).filter((i) => signs[i] > 0);
    const mixture = mixtureOf(entry.get("strict"), undefined, strict, d);
    const scale = number(entry.get("scale"), d) * unit * (kind === "+inf" ? 1n : -1n);
    const combined = (v: bigint[]): bigint => [...mixture].reduce((sum, [i, m]) => sum + m * dotWhole(Z[i], v), 0n);
    if (number(entry.get("scale"), d) <= 0n || open.some((v) => combined(v) !== scale * v[j])) {
      throw new Refused(`strict rows do not combine to coefficient ${j}`);
    }
  }
  return kind;
}
