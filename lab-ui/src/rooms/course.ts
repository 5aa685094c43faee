/** A run of the perceptron on some points, and at each correction the numbers of the proof that it ends. */
import { drawOf, fromPage } from "../answer";
import { answer } from "../proof/answer";
import { Replay } from "../replay";
import { USUAL, type Points, type Result, type Settings } from "../types";

const MOST = { corrections: 10_000, presentations: 1_000_000 };
const NAMES = { features: ["x1", "x2"], classes: ["−1", "+1"] as [string, string] };

export type Choices = Pick<Settings, "start" | "order" | "seed"> & { eta: number };

/** One correction: w(k) = w(k − 1) + η·z. */
export interface Correction {
  /** The point, counted from 1, and its response z·w(k − 1), which was not above 0. */
  point: number;
  response: number;
  /** ŵ·ηz, the way along w*; and ‖ηz‖². */
  along: number;
  square: number;
  /** ‖w‖² before and after. */
  was: number;
  is: number;
}

/** What there is to say at k corrections; ŵ is w* with length one. */
export interface Moment {
  k: number;
  /** The corrections of the whole run, and whether it ended without a mistake. */
  made: number;
  clean: boolean;
  eta: number;
  radius: number;
  /** ‖w(0)‖². */
  begin: number;
  /** The margin of w*, ŵ·w(0), ŵ·w(k) and the least it can be; null where no hyperplane separates the points. */
  margin: number | null;
  ahead: number | null;
  along: number | null;
  least: number | null;
  /** ‖w(k)‖, null beyond the end of the run, and the most it can be. */
  length: number | null;
  most: number;
  /** Σ ‖ηz‖² over the corrections so far. */
  sum: number;
  /** No run makes more corrections. */
  bound: number | null;
  /** The correction that led here; at the start, the first one. */
  last: Correction | null;
}

export class Course {
  readonly result: Result;
  /** w* with length one. */
  readonly star: number[] | null;
  /** For each k: how far w(k) is along w*, how far away from its axis, and how long. */
  readonly along: number[] = [];
  readonly off: number[] = [];
  readonly length: number[] = [];
  private readonly sums: number[] = [0];
  private readonly replay: Replay;

  constructor(
    readonly points: Points,
    choices: Choices,
  ) {
    const settings: Settings = { ...USUAL, recipe: "own", ...choices };
    const run = fromPage(points, settings, drawOf(settings, points.p + 1), MOST);
    this.result = { ...run, ...answer(points, settings, run, NAMES) };
    this.replay = new Replay(points, run);
    const { verdict } = this.result;
    const star = verdict?.kind === "complete" && verdict.margin ? verdict.w : null;
    const size = star && Math.hypot(...star);
    this.star = star && star.map((v) => v / size!);
    for (let k = 0; k <= this.made; k++) this.follow(k);
  }

  get made(): number {
    return this.result.rows.length;
  }

  /** The bound, where it can be drawn and counted to. */
  get bound(): number | null {
    return this.star && this.made > 0 ? (this.result.theorem?.bound ?? null) : null;
  }

  w(k: number): Float64Array {
    return this.replay.at(Math.min(k, this.made));
  }

  at(k: number): Moment {
    const { result, made, bound, star } = this;
    const { begin, growth, ahead, gain } = result.theorem!;
    const eta = Math.abs(result.eta);
    const known = k <= made;
    const least = bound !== null && ahead !== null && gain !== null ? ahead + k * gain : null;
    return {
      k,
      made,
      clean: result.outcome?.name === "SEPARATED",
      eta,
      radius: Math.sqrt(growth!) / eta,
      begin,
      margin: gain === null ? null : gain / eta,
      ahead,
      along: star && known ? this.along[k] : null,
      least,
      length: known ? this.length[k] : null,
      most: Math.sqrt(begin + k * growth!),
      sum: this.sums[Math.min(k, made)],
      bound,
      last: this.correction(Math.min(Math.max(1, k), made)),
    };
  }

  private follow(k: number): void {
    const w = this.replay.at(k);
    const length = Math.hypot(...w);
    const along = this.star ? dot(this.star, w) : 0;
    this.length.push(length);
    this.along.push(along);
    this.off.push(Math.sqrt(Math.max(0, length * length - along * along)));
    if (k > 0) this.sums.push(this.sums[k - 1] + dot(this.step(k), this.step(k)));
  }

  /** ηz of correction k, with the bias. */
  step(k: number): number[] {
    const { rows, steps } = this.result;
    const { X, p } = this.points;
    const at = rows[k - 1] * p;
    return [...X.subarray(at, at + p), 1].map((v) => steps[k - 1] * v);
  }

  private correction(k: number): Correction | null {
    if (k < 1) return null;
    const z = this.step(k);
    const before = this.replay.at(k - 1);
    return {
      point: this.result.rows[k - 1] + 1,
      response: dot(z, before) / Math.abs(this.result.steps[k - 1]),
      along: this.star ? dot(this.star, z) : 0,
      square: dot(z, z),
      was: this.length[k - 1] ** 2,
      is: this.length[k] ** 2,
    };
  }
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
