/**
 * The loop of kernels/loop.py in JavaScript: for each row shown, respond, and correct w += a·(x, 1) where there is
 * something to learn. Sums are made in the same order, so the corrections are the same to the last bit. It previews a
 * run while a point is dragged, and stands in for Python in a file that has none.
 */
import { uniform, type Word } from "./random";
import { resolved, type Points, type Settings } from "./types";

export interface Budget {
  corrections: number;
  presentations: number;
}

export interface Run {
  rows: Int32Array;
  steps: Float64Array;
  passEnds: Int32Array;
  mistakes: number[];
  eta: number;
  /** Why it stopped: no mistake left, back at earlier weights, settled (a minimum), or out of budget. */
  end: "clean" | "repeat" | "settled" | "budget";
}

/** x_i · w over p columns: from left to right, or in sixteen lanes from eight columns on, folded in a fixed order. */
export function rowDot(X: Float64Array, at: number, w: ArrayLike<number>, p: number, from = 0): number {
  let s = 0;
  if (p < 8) {
    for (let j = 0; j < p; j++) s += X[at + j] * w[from + j];
    return s;
  }
  const even = new Float64Array(8),
    odd = new Float64Array(8);
  const whole = p & ~15;
  for (let j = 0; j < whole; j += 16) {
    for (let l = 0; l < 8; l++) {
      even[l] += X[at + j + l] * w[from + j + l];
      odd[l] += X[at + j + 8 + l] * w[from + j + 8 + l];
    }
  }
  let rest = p - whole;
  if (rest >= 8) {
    for (let l = 0; l < 8; l++) even[l] += X[at + whole + l] * w[from + whole + l];
    rest -= 8;
  }
  for (let l = 0; l < 8; l++) {
    const last = l >= 8 - rest ? X[at + p - 8 + l] * w[from + p - 8 + l] : 0;
    even[l] += odd[l] + last;
  }
  const four = (k: number): number => even[k] + even[k + 4];
  return four(0) + four(2) + (four(1) + four(3));
}

export function respond(X: Float64Array, i: number, w: ArrayLike<number>, p: number): number {
  return rowDot(X, i * p, w, p) + w[p];
}

/** w += a·(x_i, 1). */
export function correct(X: Float64Array, i: number, a: number, w: Float64Array, p: number): void {
  for (let j = 0; j < p; j++) w[j] += a * X[i * p + j];
  w[p] += a;
}

const INVERSE_FACTORIALS = Array.from({ length: 14 }, (_, k) => {
  let product = 1;
  for (let j = 2; j <= k; j++) product *= j;
  return 1 / product;
});

/** σ(v) by its series, with the bits of the compiled loop; no library's exp, whose last bit varies. */
export function logistic(v: number): number {
  if (v >= 40) return 1;
  if (v <= -700) return 0;
  const turns = Math.floor(-v * 1.4426950408889634 + 0.5);
  const r = -v - turns * 0.693145751953125 - turns * 1.4286068203094172e-6;
  const c = INVERSE_FACTORIALS,
    r2 = r * r,
    r4 = r2 * r2;
  const low = c[0] + c[1] * r + (c[2] + c[3] * r) * r2 + (c[4] + c[5] * r + (c[6] + c[7] * r) * r2) * r4;
  const high = c[8] + c[9] * r + (c[10] + c[11] * r) * r2 + (c[12] + c[13] * r) * r4;
  return 1 / (1 + (low + high * (r4 * r4)) * 2 ** turns);
}

type Step = (y: number, s: number, i: number) => number;

/** From label y and response s to the factor a of the correction; 0 where there is nothing to learn. */
function rule(settings: Settings, points: Points, eta: number): Step {
  const { X, p } = points;
  const squared = (i: number): number => rowDot(X, i * p, X, p, i * p) + 1;
  if (settings.learner === "passive-aggressive") {
    return (y, s, i) => (1 - y * s <= 0 ? 0 : y * Math.min(eta, (1 - y * s) / squared(i)));
  }
  if (settings.learner === "adaline") return (y, s) => eta * (y - s);
  if (settings.learner === "logistic") return (y, s) => eta * y * logistic(-y * s);
  const tieIsMistake = (y: number): boolean => settings.tie === "mistake" || (settings.tie === "positive" && y < 0);
  return (y, s, i) => {
    if (y * s > 0 || (y * s === 0 && !tieIsMistake(y))) return 0;
    return settings.normalize ? (eta * y) / Math.sqrt(squared(i)) : eta * y;
  };
}

/** The step η that Python would take. */
export function stepSize(settings: Settings, points: Points): number {
  if (settings.learner === "perceptron") return (settings.recipe === "signum" ? 2 : 1) * (settings.eta ?? 1);
  if (settings.eta !== null || settings.learner === "passive-aggressive") return settings.eta ?? 1;
  let longest = 0;
  for (let i = 0; i < points.n; i++) {
    longest = Math.max(longest, rowDot(points.X, i * points.p, points.X, points.p, i * points.p) + 1);
  }
  return 1 / ((settings.learner === "adaline" ? 1 : 0.25) * longest * Math.max(10, points.n / 10));
}

/** Looks at the weights at the end of each pass: do they come back, or hardly move any more? */
class Watch {
  private readonly mark: Float64Array; // the weights at the last pass whose number is a power of two
  private readonly previous: Float64Array;
  private marked = 0; // corrections at that pass

  constructor(
    private readonly w: Float64Array,
    private readonly settings: Settings,
    private readonly separate: boolean,
  ) {
    this.mark = w.slice();
    this.previous = w.slice();
  }

  over(passes: number, corrections: number): "repeat" | "settled" | null {
    if (!this.separate) return this.settled() ? "settled" : null;
    if (this.settings.learner !== "perceptron" || this.settings.normalize) return null;
    if (corrections > this.marked && this.w.every((v, j) => v === this.mark[j])) return "repeat";
    if ((passes & (passes - 1)) === 0) {
      this.mark.set(this.w);
      this.marked = corrections;
    }
    return null;
  }

  private settled(): boolean {
    let moved = 0,
      size = 0;
    for (let j = 0; j < this.w.length; j++) {
      moved += (this.w[j] - this.previous[j]) ** 2;
      size += this.w[j] ** 2;
    }
    this.previous.set(this.w);
    return moved <= 1e-6 ** 2 * size;
  }
}

type Fraction = [bigint, bigint];
const ONE: Fraction = [1n, 1n];

/** A run's weights as multiples of `unit`: start and step are whole numbers then, and η only scales w, as in Python. */
function unitsOf(start: Float64Array, eta: number): { start: Float64Array; step: number; unit: Fraction } {
  const h = decimal(eta)!;
  if (start.every((v) => v === 0)) return { start, step: 1, unit: h };
  const short = start.every((v) => Number.isInteger(v * 2 ** 24) && Math.abs(v) < 2 ** 24);
  if (short && (h[1] & (h[1] - 1n)) === 0n) return { start, step: eta, unit: ONE };
  const values = [h, ...Array.from(start, (v) => decimal(v, 15) ?? dyadic(v))];
  const common = values.reduce((least, [, q]) => (least / divisor(least, q)) * q, 1n);
  const whole = values.map(([p, q]) => p * (common / q));
  const shared = whole.reduce(divisor, 0n);
  const own = whole.map((v) => Number(v / shared));
  if (own.some((v) => Math.abs(v) > 2 ** 53)) return { start, step: eta, unit: ONE };
  return { start: Float64Array.from(own.slice(1)), step: own[0], unit: [shared, common] };
}

/** The shortest decimal that means x, as a fraction; null where it has more digits. */
function decimal(x: number, digits = 17): Fraction | null {
  const [all, exponent] = Math.abs(x).toExponential().split("e");
  const [first, rest = ""] = all.split(".");
  if (rest.length >= digits) return null;
  const power = Number(exponent) - rest.length;
  const m = BigInt(first + rest) * (x < 0 ? -1n : 1n);
  return power < 0 ? reduced(m, 10n ** BigInt(-power)) : [m * 10n ** BigInt(power), 1n];
}

function dyadic(x: number): Fraction {
  let q = 1n;
  for (; !Number.isInteger(x); x *= 2) q *= 2n;
  return [BigInt(x), q];
}

function reduced(p: bigint, q: bigint): Fraction {
  const shared = divisor(p, q);
  return [p / shared, q / shared];
}

function divisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

/** The number nearest to v·unit: the quotient to 64 digits or more, whose last one says that something is left. */
export function nearest(v: number, unit: Fraction): number {
  if (unit[0] === unit[1] || v === 0 || !Number.isFinite(v)) return v;
  const [n, d] = dyadic(Math.abs(v));
  const [p, q] = [n * unit[0], d * unit[1]];
  const shift = Math.max(0, 64 + q.toString(2).length - p.toString(2).length);
  const quotient = (p << BigInt(shift)) / q;
  const left = quotient * q === p << BigInt(shift) ? 0n : 1n;
  return (Number((quotient << 1n) | left) / 2 ** shift / 2) * Math.sign(v);
}

export function learn(points: Points, given: Settings, start: Float64Array, seed: Word, budget: Budget): Run {
  const settings = resolved(given);
  const { X, y, n, p } = points;
  const eta = stepSize(settings, points);
  const perceptron = settings.learner === "perceptron";
  const units = perceptron ? unitsOf(start, eta) : { start, step: eta, unit: ONE };
  const step = rule(settings, points, units.step);
  const separate = perceptron || settings.learner === "passive-aggressive";
  const order = orderOf(settings.order, n, seed);
  const w = units.start.slice();
  const watch = new Watch(w, settings, separate);
  const [rows, steps, passEnds, mistakes]: number[][] = [[], [], [], []];
  let wrong = 0,
    quietSince = 0,
    t = 0;
  let end: Run["end"] = "budget";
  const isMistake = (i: number): boolean => {
    const s = respond(X, i, w, p);
    return perceptron ? step(y[i], s, i) !== 0 : y[i] * s <= 0;
  };
  const closePass = (): void => {
    mistakes.push(wrong);
    passEnds.push(rows.length);
    wrong = 0;
  };

  while (n > 0 && t < budget.presentations && rows.length < budget.corrections) {
    const i = order(t);
    const s = respond(X, i, w, p);
    const a = step(y[i], s, i);
    t++;
    if (a !== 0) {
      correct(X, i, a, w, p);
      if (!w.every(Number.isFinite)) break; // the step is too large; Python says so in a sentence
      rows.push(i);
      steps.push(a);
      if (perceptron || y[i] * s <= 0) wrong++;
      quietSince = t;
    }
    const passIsOver = t % n === 0;
    const drawn = settings.order === "random" && t - quietSince >= n;
    const clean = separate && (drawn || (passIsOver && wrong === 0));
    if (passIsOver) closePass();
    if (clean) {
      quietSince = t;
      end = settings.order === "random" && anyOf(n, isMistake) ? "budget" : "clean";
    }
    if (end === "budget" && passIsOver) end = watch.over(mistakes.length, rows.length) ?? "budget";
    if (end !== "budget") break;
  }
  if (n > 0 && t % n !== 0) closePass();
  const shown = Float64Array.from(steps, (a) => nearest(a, units.unit));
  const kept = { rows: Int32Array.from(rows), steps: shown, passEnds: Int32Array.from(passEnds) };
  return { ...kept, mistakes, eta, end };
}

function anyOf(n: number, test: (i: number) => boolean): boolean {
  for (let i = 0; i < n; i++) if (test(i)) return true;
  return false;
}

/** The row shown at presentation t; to be asked for t = 0, 1, 2, … in turn. */
function orderOf(order: Settings["order"], n: number, seed: Word): (t: number) => number {
  if (order === "cyclic") return (t) => t % n;
  if (order === "random") return (t) => Math.floor(uniform(seed, t) * n);
  const permutation = new Uint32Array(n);
  return (t) => {
    const k = t % n;
    if (k === 0) for (let i = 0; i < n; i++) permutation[i] = i;
    const other = k + Math.floor(uniform(seed, t) * (n - k));
    const row = permutation[other];
    permutation[other] = permutation[k];
    permutation[k] = row;
    return row;
  };
}
