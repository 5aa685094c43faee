/** A run is its mistake sequence: the weights after any number of corrections, with the bits of the run. */
import { correct } from "./perceptron";
import type { Points, Result } from "./types";

const STRIDE = 256; // corrections between remembered weights

export class Replay {
  readonly length: number;
  private readonly remembered: Float64Array;
  private readonly w: Float64Array;
  private k = 0;

  constructor(
    private readonly points: Points,
    private readonly run: Pick<Result, "rows" | "steps" | "start">,
  ) {
    const d = run.start.length;
    this.length = run.rows.length;
    this.w = run.start.slice();
    this.remembered = new Float64Array((Math.floor(this.length / STRIDE) + 1) * d);
    this.remembered.set(this.w);
    for (let k = 1; k <= this.length; k++) {
      correct(points.X, run.rows[k - 1], run.steps[k - 1], this.w, d - 1);
      if (k % STRIDE === 0) this.remembered.set(this.w, (k / STRIDE) * d);
    }
    this.k = this.length;
  }

  /** w(k); a copy that the caller may keep. */
  at(k: number): Float64Array {
    const d = this.w.length;
    if (k < this.k || k - this.k > STRIDE) {
      const block = Math.floor(k / STRIDE);
      this.w.set(this.remembered.subarray(block * d, (block + 1) * d));
      this.k = block * STRIDE;
    }
    for (; this.k < k; this.k++) correct(this.points.X, this.run.rows[this.k], this.run.steps[this.k], this.w, d - 1);
    return this.w.slice();
  }
}
