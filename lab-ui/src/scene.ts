/** What there is to see at one moment of a run: where the points are, which of them are wrong, and the lines. */
import type { Data } from "./data";
import { number } from "./dom";
import { conicOf } from "./features";
import { rowDot } from "./perceptron";
import type { Line, Scene } from "./plane";
import type { Projection } from "./projection";
import { RIVALS, type Points, type Result, type Settings } from "./types";

export interface Moment {
  data: Data;
  settings: Settings;
  /** The points as the learner sees them. */
  learned: Points;
  projection: Projection | null;
  result: Result | null;
  k: number;
  /** w(k) and w(k − 1), where there are any. */
  w: Float64Array | null;
  before: Float64Array | null;
}

/** The row that was corrected last; null at the start, or if it has been deleted meanwhile. */
export function correctedRow({ result, k, learned }: Moment): number | null {
  const row = result && k > 0 ? result.rows[k - 1] : null;
  return row !== null && row < learned.n ? row : null;
}

/** Which points are not strictly on their side. */
export function wrongRows({ learned: { n, p, X, y }, w }: Moment): Uint8Array {
  const wrong = new Uint8Array(n);
  if (!w || w.length !== p + 1 || !hasLine(w)) return wrong;
  for (let i = 0; i < n; i++) wrong[i] = y[i] * (rowDot(X, i * p, w, p) + w[p]) > 0 ? 0 : 1;
  return wrong;
}

/** Where the points are on the plane. */
export function places(
  data: Data,
  projection: Projection | null,
  w: Float64Array | null,
): { xs: Float64Array; ys: Float64Array } {
  const points = data.points();
  if (projection) return projection.at(w ?? new Float64Array(points.p + 1));
  const { n, p, X } = points;
  const [xs, ys] = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) [xs[i], ys[i]] = [X[i * p], X[i * p + 1]];
  return { xs, ys };
}

export function sceneOf(moment: Moment, wrong: Uint8Array): Scene {
  const { data, projection, result, w } = moment;
  const { xs, ys } = places(data, projection, w);
  const witness = result?.witness?.rows.every((i) => i < data.n) ? result.witness : null;
  const { others } = data;
  const kind = others.length > 1 ? (i: number): number => data.other(i) : (): number => 0;
  const className = (i: number): string => (data.y[i] > 0 ? data.className(1) : others[kind(i)]);
  const side = (i: number): string => (wrong[i] ? ", on the wrong side" : "");
  return {
    xs,
    ys,
    y: data.y,
    wrong,
    kind,
    lines: projection ? axis(w) : lines(moment),
    corrected: correctedRow(moment),
    added: added(moment),
    witness: witness && !projection ? { rows: witness.rows, point: [witness.point[0], witness.point[1]] } : null,
    marked: witness && projection ? witness.rows : [],
    axes: projection
      ? ["signed distance to the hyperplane", "a principal direction"]
      : [data.names[data.columns[0]], data.names[data.columns[1]]],
    label: (i) => `Point ${i + 1}, class ${className(i)}, at ${number(xs[i])}, ${number(ys[i])}${side(i)}`,
    movable: data.movable,
  };
}

/** The vector y·x that this correction added to the weights, where it can be drawn from the origin. */
function added(moment: Moment): [number, number] | null {
  const { data, settings, learned, result, k, projection } = moment;
  const row = correctedRow(moment);
  if (row === null || !result || projection || settings.phi !== "x" || data.scaled) return null;
  const sign = result.steps[k - 1] < 0 ? -1 : 1;
  return [sign * learned.X[row * 2], sign * learned.X[row * 2 + 1]];
}

/** In a projection the hyperplane is the vertical axis. */
function axis(w: Float64Array | null): Line[] {
  return hasLine(w) ? [{ name: "", look: "new", conic: [0, 0, 0, 1, 0, 0] }] : [];
}

/** The perceptron's line and the one before, then, above them, the widest street and the rivals. */
function lines({ settings, result, w, before }: Moment): Line[] {
  const line = (name: string, look: string, weights: ArrayLike<number>): Line[] => {
    if (!w || weights.length !== w.length || !hasLine(weights)) return [];
    return [{ name, look, conic: conicOf(weights, settings.phi) }];
  };
  const found = [...(before ? line("", "old", before) : []), ...(w ? line("", "new", w) : [])];
  const { verdict, rivals } = result ?? { verdict: null, rivals: [] };
  if (verdict?.street) {
    const [middle, bias] = [verdict.street.w.slice(0, -1), verdict.street.w[verdict.street.w.length - 1]];
    const reach = verdict.street.lower * Math.hypot(...middle);
    if (reach > 0) for (const side of [-reach, reach]) found.push(...line("", "edge", [...middle, bias + side]));
    const name = settings.phi === "x" ? "widest street" : "widest street in Φ";
    found.push(...line(name, "best", verdict.street.w));
  } else if (verdict?.w) {
    found.push(...line(verdict.kind === "quasi" ? "touching line" : "separating line", "best", verdict.w));
  }
  for (const one of rivals.filter((rival) => settings.rivals.includes(rival.name))) {
    found.push(...line(`${one.name}: ${one.wrong} wrong`, `rival rival-${RIVALS.indexOf(one.name)}`, one.w));
  }
  return found;
}

/** Whether weights have a line: w is not 0, whatever the bias is. */
export function hasLine(weights: ArrayLike<number> | null): boolean {
  for (let j = 0; weights && j < weights.length - 1; j++) if (weights[j] !== 0) return true;
  return false;
}
