/** Mixtures, and the two intervals of a complete certificate: the theorem's margin and the street. */
import type { Json } from "./json";
import { dotWhole, number, onlyFields, Refused, vector } from "./reading";

/** lower and upper, each over/under. */
export type Ends = [[bigint, bigint], [bigint, bigint]];

/** λ: with a base, base plus the entry on every row of the plane; without, the entries. */
export function mixtureOf(
  given: Json | undefined,
  base: Json | undefined,
  plane: number[],
  d: number,
): Map<number, bigint> {
  if (!(given instanceof Map) || given.size > plane.length) throw new Refused("lambda is missing or too long");
  const allowed = new Map(plane.map((i) => [String(i), i]));
  if (![...given.keys()].every((key) => allowed.has(key))) {
    throw new Refused("lambda names a row that is not on the plane");
  }
  const entries = new Map([...given].map(([key, value]) => [allowed.get(key)!, number(value, d)]));
  const more = base === undefined ? null : number(base, d);
  const mixture = more === null ? entries : new Map(plane.map((i) => [i, more + (entries.get(i) ?? 0n)]));
  if (mixture.size === 0 || ![...mixture.values()].every((m) => m > 0n)) {
    throw new Refused("lambda is empty or not positive");
  }
  return mixture;
}

/** z·w ≥ lower·‖w‖ on every row, ‖Σ λz‖ ≤ upper·Σ λ; a street has its own w, ‖w‖ without the bias, and Σ λy = 0. */
export function provedInterval(
  name: "margin" | "street",
  given: Json,
  { Z, unit, d }: { Z: bigint[][]; unit: bigint; d: number },
  own: bigint[],
): Ends {
  const street = name === "street";
  const fields = ["lower", "upper", "lambda", ...(street ? ["w"] : [])];
  const entry = onlyFields(given, fields, [], `its ${name} does not have the fields of one`);
  const [[p, q], [r, s]] = [ratio(entry.get("lower"), d), ratio(entry.get("upper"), d)];
  const w = street ? vector(entry.get("w"), d) : own;
  const direction = street ? w.slice(0, -1) : w;
  const size = dotWhole(direction, direction);
  if (p * s > r * q || size === 0n) throw new Refused(`its ${name} is no interval, or its w has no direction`);
  const needed = (p * unit) ** 2n * size;
  Z.forEach((z, i) => {
    const left = dotWhole(z, w) * q;
    if (left < 0n || left * left < needed) throw new Refused(`row ${i} is nearer than the lower end of the ${name}`);
  });
  const mixture = mixtureOf(
    entry.get("lambda"),
    undefined,
    Z.map((_, i) => i),
    d,
  );
  const total = new Array<bigint>(d).fill(0n);
  let sum = 0n;
  for (const [i, m] of mixture) {
    sum += m;
    Z[i].forEach((v, j) => (total[j] += m * v));
  }
  if (street && total[d - 1] !== 0n) throw new Refused("lambda does not have the same sum in both classes");
  if (dotWhole(total, total) * s * s > (r * unit * sum) ** 2n) {
    throw new Refused(`lambda does not prove the upper end of the ${name}`);
  }
  return [
    [p, q],
    [r, s],
  ];
}

/** p/q in hexadecimal, p ≥ 0 and q > 0. */
function ratio(text: Json | undefined, d: number): [bigint, bigint] {
  const parts = typeof text === "string" ? text.split("/").map((part) => number(part, d)) : [];
  if (parts.length !== 2 || parts[0] < 0n || parts[1] <= 0n) {
    throw new Refused("an end of the margin is not a fraction");
  }
  return [parts[0], parts[1]];
}
