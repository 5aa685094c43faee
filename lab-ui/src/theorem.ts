/** The theorem's curves: ‖w‖² squeezed between a parabola and a straight line, the angle to w*, the mistakes of each pass. */
import { Chart, type Series } from "./chart";
import { count, h, whole } from "./dom";
import type { Result } from "./types";

export class TheoremCharts {
  readonly element: HTMLElement;
  private readonly norm: Chart;
  private readonly angle: Chart;
  private readonly passes = new Chart("Mistakes in each pass");
  private readonly words = h("p", {});

  constructor(scrub: (k: number) => void) {
    this.norm = new Chart("‖w‖² between its bounds", scrub);
    this.angle = new Chart("Cosine of the angle to w*", scrub);
    this.element = h(
      "div",
      { class: "theorem" },
      this.words,
      h("div", { class: "charts" }, this.norm.element, this.angle.element, this.passes.element),
    );
  }

  /** `alone`: no Python will bring the numbers that are missing. */
  draw(result: Result, alone: boolean): void {
    const { theorem, k, normSq, cos } = result;
    const K = result.rows.length;
    this.norm.element.hidden = !theorem || K === 0;
    const last = Math.max(2, K, theorem?.bound ?? 0);
    const steps = sampled(last);
    const upper = (at: number): number => theorem!.begin + at * theorem!.growth!;
    const lower = (at: number): number => Math.max(0, theorem!.ahead! + at * theorem!.gain!) ** 2;
    const squeezed = theorem !== null && theorem.growth !== null && theorem.ahead !== null && theorem.gain !== null;
    this.words.textContent = this.explain(result, squeezed, alone);
    if (theorem && K > 0) {
      const series: Series[] = [{ label: "‖w(k)‖²", look: "norm", x: k, y: normSq }];
      if (theorem.growth !== null)
        series.unshift({
          label: "at most ‖w(0)‖² + kη²R²",
          look: "upper",
          x: Float64Array.from(steps),
          y: Float64Array.from(steps, upper),
        });
      if (squeezed)
        series.unshift({
          label: "at least (ŵ·w(0) + kηγ)²",
          look: "lower",
          x: Float64Array.from(steps),
          y: Float64Array.from(steps, lower),
        });
      const seen = [...normSq].filter((v) => v > 0);
      const low = Math.min(
        ...seen,
        ...(squeezed
          ? steps
              .filter((at) => at >= 1)
              .map(lower)
              .filter((v) => v > 0)
          : []),
      );
      const high = Math.max(...seen, theorem.growth === null ? 0 : upper(last));
      this.norm.draw({
        series,
        x: { label: "corrections k", from: 1, to: last, log: true },
        y: { from: low, to: Math.max(high, low * 10), log: true },
        ...(theorem.bound === null ? {} : { limit: { x: theorem.bound, label: `bound ${whole(theorem.bound)}` } }),
        summary: `Squared length of the weights over ${count(K, "correction")}${theorem.bound === null ? "" : `; the bounds meet at ${whole(theorem.bound)}`}`,
      });
    }
    this.angle.element.hidden = !squeezed || cos.length === 0 || K === 0;
    if (!this.angle.element.hidden) {
      const bound = (at: number): number =>
        theorem!.ahead! + at * theorem!.gain! < 0 ? -1 : (theorem!.ahead! + at * theorem!.gain!) / Math.sqrt(upper(at));
      this.angle.draw({
        series: [
          {
            label: "at least, grows like √k",
            look: "lower",
            x: Float64Array.from(steps),
            y: Float64Array.from(steps, bound),
          },
          { label: "cos(w(k), w*)", look: "norm", x: k, y: cos },
        ],
        x: { label: "corrections k", from: 1, to: last, log: true },
        y: { from: Math.min(0, ...[...cos].filter(Number.isFinite)), to: 1, log: false },
        summary: "Cosine of the angle between the weights and the widest-margin solution; it cannot pass 1",
      });
    }
    this.passes.element.hidden = result.mistakes.length < 2;
    if (result.mistakes.length >= 2) {
      const few = result.mistakes.length <= 60;
      this.passes.draw({
        series: [
          {
            label: "mistakes",
            look: few ? "bars" : "norm",
            bars: few,
            x: result.mistakes.map((_, i) => i + 1),
            y: result.mistakes,
          },
        ],
        x: few
          ? { label: "pass", from: 0.5, to: result.mistakes.length + 0.5, log: false, whole: true }
          : { label: "pass", from: 1, to: result.mistakes.length, log: result.mistakes.length > 200 },
        y: { from: 0, to: Math.max(1, ...result.mistakes), log: false, whole: true },
        summary: `Mistakes in each of ${count(result.mistakes.length, "pass", "passes")}`,
      });
    }
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

  private explain(result: Result, squeezed: boolean, alone: boolean): string {
    const bound = result.theorem?.bound;
    if (squeezed && bound !== null && bound !== undefined) {
      return `Each correction lengthens w by little and turns it towards w*. A parabola cannot stay under a straight line: after ${count(bound, "correction")} at the latest it is over. This run made ${whole(result.rows.length)}.`;
    }
    if (!result.theorem && alone && result.rows.length > 0)
      return "The theorem’s numbers for these points are worked out by the lab itself, not by this file.";
    if (!result.theorem || result.rows.length === 0)
      return "Here the theorem’s curves appear, once there is something to correct.";
    if (result.theorem.growth === null)
      return "The convergence theorem is about the perceptron; this learner has no such bound.";
    if (result.verdict?.kind === "complete") return "The bound holds, but from this start it says nothing yet.";
    return "No hyperplane separates these points, so there is no lower bound and no end: corrections can go on for ever.";
  }
}

/** The pass in which correction k was made, counted from 1. */
export function passOf(ends: Int32Array, k: number): number {
  let low = 0,
    high = ends.length;
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
