/** The theorem's curves: ‖w‖² between its two bounds, the angle to w*, the mistakes of each pass. */
import { Chart, type Series } from "./chart";
import { count, h, say, whole } from "./dom";
import type { Result, Theorem } from "./types";

/** The theorem's bounds at any k. */
interface Bounds {
  lower: ((k: number) => number) | null;
  upper: ((k: number) => number) | null;
  cos: ((k: number) => number) | null;
}

const FEW = 60; // passes that are drawn as bars
/** Of a chart in the perceptron's room: plane, rule and curves are on one screen, whatever its size. */
const HEIGHT = typeof innerWidth === "number" && innerWidth >= 1080 ? Math.min(280, Math.max(142, innerHeight - 640)) : 142;

export class TheoremCharts {
  readonly words = h("p", { class: "theorem-words" });
  /** Two curves side by side: of the length, and of the angle, or of the mistakes where there is no w*. */
  readonly curves = h("div", { class: "charts" });
  /** Where the mistakes are shown otherwise. */
  readonly rest = h("div");
  private readonly norm: Chart;
  private readonly angle: Chart;
  private readonly passes: Chart;

  constructor(scrub: (k: number) => void, height = HEIGHT) {
    this.norm = new Chart("‖w‖² between its bounds", scrub, height);
    this.angle = new Chart("Cosine of the angle to w*", scrub, height);
    this.passes = new Chart("Mistakes in each pass", null, height);
    this.curves.append(this.norm.element, this.angle.element);
    this.rest.append(this.passes.element);
  }

  draw(result: Result): void {
    const bounds = boundsOf(result.theorem);
    const corrected = result.rows.length > 0;
    say(this.words, explain(result, bounds));
    this.norm.element.hidden = !result.theorem || !corrected;
    if (result.theorem && corrected) this.drawNorm(result, result.theorem, bounds);
    this.angle.element.hidden = !bounds.cos || result.cos.length === 0 || !corrected;
    if (!this.angle.element.hidden) this.drawAngle(result, bounds.cos!);
    const home = this.angle.element.hidden ? this.curves : this.rest;
    if (this.passes.element.parentElement !== home) home.append(this.passes.element);
    this.passes.element.hidden = result.mistakes.length < 2;
    if (result.mistakes.length >= 2) this.drawPasses(result.mistakes);
  }

  /** Move the cursors to correction k. */
  point(result: Result, k: number, w: Float64Array): void {
    const norm = w.reduce((sum, v) => sum + v * v, 0);
    this.norm.point(k, norm);
    const best = result.verdict?.w;
    if (best && best.length === w.length) {
      const along = w.reduce((sum, v, j) => sum + v * best[j], 0);
      this.angle.point(k, norm > 0 ? along / Math.sqrt(norm * best.reduce((sum, v) => sum + v * v, 0)) : NaN);
    }
    const pass = passOf(result.passEnds, k);
    this.passes.point(pass, result.mistakes[pass - 1] ?? NaN);
  }

  /** Move the cursors to where a run would be that went on. */
  beyond(k: number): void {
    this.norm.point(k, NaN);
    this.angle.point(k, NaN);
  }

  /** On two logarithmic scales k² rises twice as steeply as k, and one sees where the bounds must cross. */
  private drawNorm(result: Result, { bound }: Theorem, { lower, upper }: Bounds): void {
    const last = lastOf(result);
    const steps = Float64Array.from(sampled(last));
    const series: Series[] = [];
    if (lower) series.push({ label: "at least (ŵ·w(0) + kηγ)²", look: "lower", x: steps, y: steps.map(lower) });
    if (upper) series.push({ label: "at most ‖w(0)‖² + kη²R²", look: "upper", x: steps, y: steps.map(upper) });
    series.push({ label: "‖w(k)‖²", look: "norm", x: result.k, y: result.normSq });
    const seen = series.flatMap((one) => Array.from(one.y).filter((v, i) => v > 0 && v < Infinity && one.x[i] > 0));
    const low = Math.min(...seen);
    const meet = bound === null ? "" : `; the bounds cross after ${whole(bound)}`;
    this.norm.draw({
      series,
      x: { label: "corrections k", from: 1, to: last, log: true },
      y: { from: low, to: Math.max(...seen, low * 10), log: true },
      ...(bound !== null && { limit: { x: bound, label: `bound ${whole(bound)}` } }),
      summary: `Squared length of the weights over ${count(result.rows.length, "correction")}${meet}`,
    });
  }

  private drawAngle(result: Result, bound: (k: number) => number): void {
    const last = lastOf(result);
    const steps = Float64Array.from(sampled(last));
    this.angle.draw({
      series: [
        { label: "at least, grows like √k", look: "lower", x: steps, y: steps.map(bound) },
        { label: "cos(w(k), w*)", look: "norm", x: result.k, y: result.cos },
      ],
      x: { label: "corrections k", from: 1, to: last, log: true },
      y: { from: Math.min(0, ...[...result.cos].filter(Number.isFinite)), to: 1, log: false },
      summary: "Cosine of the angle between the weights and those of the theorem's margin; it cannot pass 1",
    });
  }

  private drawPasses(mistakes: number[]): void {
    const bars = mistakes.length <= FEW;
    const half = bars ? 0.5 : 0;
    const log = mistakes.length > 200;
    this.passes.draw({
      series: [
        { label: "mistakes", look: bars ? "bars" : "norm", bars, x: mistakes.map((_, i) => i + 1), y: mistakes },
      ],
      x: { label: "pass", from: 1 - half, to: mistakes.length + half, log, whole: true },
      y: { from: 0, to: Math.max(1, ...mistakes), log: false, whole: true },
      summary: `Mistakes in each of ${count(mistakes.length, "pass", "passes")}`,
    });
  }
}

function boundsOf(theorem: Theorem | null): Bounds {
  const none: Bounds = { lower: null, upper: null, cos: null };
  if (!theorem || theorem.growth === null) return none;
  const { begin, growth, ahead, gain } = theorem;
  const upper = (k: number): number => begin + k * growth;
  if (ahead === null || gain === null) return { ...none, upper };
  const along = (k: number): number => ahead + k * gain; // ŵ·w(k)/‖ŵ‖ is at least this
  const cos = (k: number): number => (along(k) < 0 ? NaN : along(k) / Math.sqrt(upper(k))); // it says nothing yet
  return { upper, lower: (k) => Math.max(0, along(k)) ** 2, cos };
}

function explain(result: Result, bounds: Bounds): string {
  const { theorem, verdict, rows } = result;
  if (rows.length === 0) return "Here the theorem’s curves appear, once there is something to correct.";
  if (!theorem) return "";
  if (theorem.growth === null)
    return "The convergence theorem is about the perceptron; this learner has no such bound.";
  if (bounds.lower && theorem.bound !== null) {
    const how = "Each correction adds at least a fixed length to w along w*, and at most a fixed amount to ‖w‖².";
    const cross = "So ‖w‖² grows at least like k² (slope 2 on these logarithmic axes) and at most like k (slope 1).";
    const end = `The two bounds cross: after ${count(theorem.bound, "correction")} at the latest it is over`;
    return `${how} ${cross} ${end}. This run made ${whole(rows.length)}.`;
  }
  if (bounds.lower) return "There is a bound, but it is too large to be drawn.";
  if (verdict?.kind === "complete") return "The bound is worked out for points of two classes.";
  return "No hyperplane separates these points: there is no lower bound and no end, corrections can go on for ever.";
}

/** How far the charts reach: to one beyond the bound, where there is one. */
function lastOf(result: Result): number {
  return Math.max(2, result.rows.length, (result.theorem?.bound ?? 0) + 1);
}

/** The pass in which correction k was made, counted from 1. */
export function passOf(ends: Int32Array, k: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] < k) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

/** About 120 numbers from 0 to `last`, closer together at the beginning. */
function sampled(last: number): number[] {
  const found = new Set<number>([0, 1, last]);
  for (let i = 0; i <= 120; i++) found.add(Math.round(last ** (i / 120)));
  return [...found].sort((a, b) => a - b);
}
