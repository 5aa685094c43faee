/** Which rows any hyperplane must carry: Gordan's alternative, again and again on what is left. */
import { alternative } from "./alternative";
import { dot, mixed, WHOLE } from "./arithmetic";
import { nullSpace, solve } from "./linear";
import { floorDivide, gcd } from "./whole";

export interface Partition {
  kind: "complete" | "quasi" | "overlap";
  /** complete, quasi: z·w ≥ 0, and > 0 on all rows that are not on the plane. */
  w: bigint[] | null;
  /** quasi, overlap: λ > 0 with Σ λz = 0, on rows that span the plane. */
  mixture: Map<number, bigint>;
  /** Few of those rows, with a mixture of their own that vanishes. */
  witness: Map<number, bigint>;
  /** Independent v with z·v = 0 on the plane, as many as the plane leaves room for. */
  open: bigint[][];
  plane: number[];
}

/** What there is to say where every row is strictly on its side. */
export function separated(): Partition {
  return { kind: "complete", w: null, mixture: new Map(), witness: new Map(), open: [], plane: [] };
}

/**
 * A mixture that vanishes puts its rows on every hyperplane that has nobody on the wrong side. Such hyperplanes are at
 * right angles to those rows: the others are looked at along the directions left, until a w has all of them strictly on
 * its side, or none is left.
 */
export function partition(rows: readonly bigint[][]): Partition {
  const d = rows[0].length;
  let open: bigint[][] = Array.from({ length: d }, (_, j) => Array.from({ length: d }, (_, k) => BigInt(+(j === k))));
  let images: bigint[][] = [...rows];
  let left = rows.map((_, i) => i);
  let mixture = new Map<number, bigint>(),
    witness = mixture;
  const plane: number[] = [];
  for (;;) {
    const found = left.length > 0 ? alternative(left.map((i) => images[i])) : null;
    if (found === null || "w" in found) {
      const w = found && mixed(WHOLE, found.w, open, d);
      const kind = w === null ? "overlap" : mixture.size > 0 ? "quasi" : "complete";
      return { kind, w, mixture, witness, open, plane: plane.sort((a, b) => a - b) };
    }
    const fresh = new Map([...found.mixture].map(([k, m]) => [left[k], m]));
    const turned = nullSpace(
      [...fresh.keys()].map((i) => images[i]),
      open.length,
    );
    mixture = joined(mixture, fresh, rows);
    if (witness.size === 0) witness = mixture;
    open = turned.map((v) => mixed(WHOLE, v, open, d));
    images = images.map((z) => turned.map((v) => dot(WHOLE, v, z)));
    const reached = left.filter((i) => images[i].every((v) => v === 0n));
    for (const i of reached) plane.push(i);
    left = left.filter((i) => images[i].some((v) => v !== 0n));
  }
}

/** One mixture that vanishes, of one that does and one that does so only along the directions left. */
function joined(
  mixture: Map<number, bigint>,
  fresh: Map<number, bigint>,
  rows: readonly bigint[][],
): Map<number, bigint> {
  if (mixture.size === 0) return smallest(fresh);
  const places = [...mixture.keys()];
  const rest = mixed(
    WHOLE,
    [...fresh.values()],
    [...fresh.keys()].map((i) => rows[i]),
    rows[0].length,
  );
  const { c, under } = solve(
    places.map((i) => rows[i]),
    rest,
  )!; // the rest is in the span of the mixture's rows, or it would be seen along the directions left
  let times = 0n;
  places.forEach((i, k) => {
    const needed = floorDivide(c[k], mixture.get(i)!) + 1n;
    if (needed > times) times = needed;
  });
  const total = new Map([...fresh].map(([i, m]) => [i, m * under]));
  places.forEach((i, k) => total.set(i, times * mixture.get(i)! - c[k]));
  return smallest(total);
}

function smallest(mixture: Map<number, bigint>): Map<number, bigint> {
  let common = 0n;
  for (const m of mixture.values()) common = gcd(common, m);
  return new Map([...mixture].map(([i, m]) => [i, m / common]));
}
