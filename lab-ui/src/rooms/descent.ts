/** Three losses as functions of y·s, their sum over points as a function of w, and the rules that walk down on it. */
import { logistic } from "../perceptron";

export type Weights = readonly [number, number];
export type Loss = "perceptron" | "squared" | "logistic";
/** One example at a time, or all at once. */
export type Mode = "one at a time" | "all at once";

export const LOSSES: readonly Loss[] = ["perceptron", "squared", "logistic"];

/** As in comparison/table.py. */
export function loss(kind: Loss, ys: number): number {
  if (kind === "perceptron") return Math.max(0, -ys);
  if (kind === "squared") return (1 - ys) ** 2 / 2;
  return ys > 0 ? Math.log1p(Math.exp(-ys)) : Math.log1p(Math.exp(ys)) - ys;
}

/** How far an example pulls: w += η·pull·y·x. It is minus the slope of the loss; at a tie the perceptron's is one. */
export function pull(kind: Loss, ys: number): number {
  if (kind === "perceptron") return ys > 0 ? 0 : 1;
  return kind === "squared" ? 1 - ys : logistic(-ys);
}

/** Rows z = y·x, so that y·s = w·z; there is no bias, two weights are all. */
export type Rows = readonly Weights[];

function along([w1, w2]: Weights, [z1, z2]: Weights): number {
  return w1 * z1 + w2 * z2;
}

/** E(w), the sum of the losses. */
export function total(kind: Loss, rows: Rows, w: Weights): number {
  return rows.reduce((sum, z) => sum + loss(kind, along(w, z)), 0);
}

export function mistakes(rows: Rows, w: Weights): number {
  return rows.filter((z) => !(along(w, z) > 0)).length;
}

/** The weights before each step and at the end: steps of all rows, or of one row each, in turn. */
export function path(kind: Loss, mode: Mode, rows: Rows, eta: number, start: Weights, steps: number): Weights[] {
  const found: Weights[] = [start];
  let w = start;
  for (let k = 0; k < steps && w.every(Number.isFinite); k++) {
    const seen = mode === "all at once" ? rows : [rows[k % rows.length]];
    const at = w;
    const pulls = seen.map((z) => eta * pull(kind, along(at, z)));
    w = seen.reduce<Weights>(([w1, w2], z, i) => [w1 + pulls[i] * z[0], w2 + pulls[i] * z[1]], w);
    found.push(w);
  }
  return found;
}
