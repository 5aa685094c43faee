/**
 * The atlas of one point: where it may go before the verdict changes. The others stay; with the point at x every row can
 * be strictly on its side unless x is in N + cone{n − p}: behind the other class's hull N, seen from the hull P of its
 * own. The border of that set is a polygon through given points; which points those are is decided in whole numbers.
 */
import { examples } from "./proof/dyadic";
import { alternative } from "./proof/alternative";
import type { Points } from "./types";

type Place = readonly [number, number];

/** The places where no line exists, cut at a distance; null where the others overlap without this point. */
export function shadow({ n, X, y }: Points, i: number, far: number): Place[] | null {
  const others = Array.from({ length: n }, (_, j) => j).filter((j) => j !== i);
  const mine = others.filter((j) => y[j] === y[i]),
    theirs = others.filter((j) => y[j] !== y[i]);
  if (theirs.length === 0) return [];
  if (mine.length > 0 && !separable({ n, p: 2, X, y }, others)) return null;
  const place = (j: number): Place => [X[2 * j], X[2 * j + 1]];
  const beyond = theirs.flatMap((a) =>
    mine.map((b): Place => {
      const [dx, dy] = [X[2 * a] - X[2 * b], X[2 * a + 1] - X[2 * b + 1]];
      const long = far / Math.hypot(dx, dy);
      return [X[2 * a] + long * dx, X[2 * a + 1] + long * dy];
    }),
  );
  return hull([...theirs.map(place), ...beyond]);
}

function separable({ X, y }: Points, rows: number[]): boolean {
  const some: Points = {
    n: rows.length,
    p: 2,
    X: Float64Array.from(rows.flatMap((j) => [X[2 * j], X[2 * j + 1]])),
    y: Int8Array.from(rows, (j) => y[j]),
  };
  return "w" in alternative(examples(some).rows);
}

/** The corners of the convex hull, in turn (Andrew). */
function hull(places: Place[]): Place[] {
  const sorted = [...places].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const left = (o: Place, a: Place, b: Place): number => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (all: Place[]): Place[] => {
    const chain: Place[] = [];
    for (const one of all) {
      while (chain.length > 1 && left(chain[chain.length - 2], chain[chain.length - 1], one) <= 0) chain.pop();
      chain.push(one);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}
