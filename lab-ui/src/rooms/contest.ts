/** The perceptron and three regressions on the same points, measured alike, as in comparison/table.py. */
import { learn, respond } from "../perceptron";
import { word } from "../random";
import { Replay } from "../replay";
import { rivals } from "../rivals";
import { RIVALS, twoClasses, USUAL, type Points } from "../types";
import { LOSSES, loss, type Loss } from "./descent";

const MOST = 2000; // corrections of the perceptron

export interface Contestant {
  name: string;
  /** Weights, the bias last. */
  w: number[];
  /** Points with y·s ≤ 0. */
  errors: number;
  /** Mean losses. */
  losses: Record<Loss, number>;
  /** Of the perceptron: how many corrections it made. */
  corrections: number | null;
}

export function measure(points: Points, w: readonly number[]): Pick<Contestant, "errors" | "losses"> {
  const agreements = Array.from({ length: points.n }, (_, i) => points.y[i] * respond(points.X, i, w, points.p));
  const mean = (kind: Loss): number => agreements.reduce((sum, ys) => sum + loss(kind, ys), 0) / points.n;
  const losses = Object.fromEntries(LOSSES.map((kind) => [kind, mean(kind)])) as Record<Loss, number>;
  return { errors: agreements.filter((ys) => !(ys > 0)).length, losses };
}

/** The perceptron from w = 0, the points in turn. */
function perceptron(points: Points): Contestant {
  const start = new Float64Array(points.p + 1);
  const run = learn(points, USUAL, start, word("0x0"), { corrections: MOST, presentations: Infinity });
  const w = [...new Replay(points, { ...run, start }).at(run.rows.length)];
  return { name: "perceptron", w, ...measure(points, w), corrections: run.rows.length };
}

export function contest(points: Points): Contestant[] {
  const others = twoClasses(points) ? rivals(points, RIVALS) : [];
  return [perceptron(points), ...others.map(({ name, w }) => ({ name, w, ...measure(points, w), corrections: null }))];
}
