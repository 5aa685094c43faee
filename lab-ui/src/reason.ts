/** Why classes are completely separable, where one column does it alone, or a few together do. */
import type { Names } from "./proof/certificate";
import { twoClasses, type Points, type Verdict } from "./types";

/** In a sentence of docs/explanation/sentences.md; empty where there is no such column. A column is compared exactly. */
export function reasonOf({ kind, because }: Verdict, points: Points, { features, classes }: Names): string {
  if (kind !== "complete" || !twoClasses(points)) return "";
  for (let j = 0; j < points.p; j++) {
    const [negative, positive] = [-1, 1].map((side) => endsOf(points, j, side));
    const below = (low: string, from: number, to: number): string => `${features[j]} alone separates: ${low} exactly where ${features[j]} < ${between(from, to)}.`;
    if (negative.most < positive.least) return below(classes[0], negative.most, positive.least);
    if (positive.most < negative.least) return below(classes[1], positive.most, negative.least);
  }
  if (!because || because.columns.length < 2) return "";
  const names = because.columns.map((j) => features[j]);
  const fewer = because.smallest ? "no smaller set does" : "whether fewer do is not settled";
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} together separate; ${fewer}.`;
}

function endsOf({ n, p, X, y }: Points, j: number, side: number): { least: number; most: number } {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < n; i++) {
    if (y[i] !== side) continue;
    least = Math.min(least, X[i * p + j]);
    most = Math.max(most, X[i * p + j]);
  }
  return { least, most };
}

/** The shortest decimal above `from` and not above `to`. */
function between(from: number, to: number): string {
  for (let digits = 1; digits < 18; digits++) {
    const middle = Number((from / 2 + to / 2).toPrecision(digits));
    if (middle > from && middle <= to) return String(middle).replace(/^-/, "−");
  }
  return String(to).replace(/^-/, "−");
}
