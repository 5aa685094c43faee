/** What the rooms compute, for whoever compares it with Python. */
import type { Points } from "../types";
import { contest, type Contestant } from "./contest";
import { PRESETS, WANTED } from "./neuron";

export { adaptiveFilter, bounds } from "./adaptive";
export { count, dependent, dichotomies, labelings, log10Probability, probability, regime } from "./cover";
export { loss, path, pull, total } from "./descent";
export { signals, truth } from "./neuron";
export { spectrum } from "./signals";

export function gates(): [typeof WANTED, typeof PRESETS] {
  return [WANTED, PRESETS];
}

export function contestOf(X: [number, number][], y: number[]): Contestant[] {
  const points: Points = { n: y.length, p: 2, X: Float64Array.from(X.flat()), y: Int8Array.from(y) };
  return contest(points);
}
