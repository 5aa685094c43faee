/**
 * Adaptive filters: filter, compare, adapt, sample by sample. The rules are those of kernels/filter_rules.py, and sums
 * are made in the same order.
 */
import { rowDot } from "../perceptron";

export type Rule = "LMS" | "NLMS" | "RLS";
export const RULES: readonly Rule[] = ["LMS", "NLMS", "RLS"];

export interface Task {
  rule: Rule;
  taps: number;
  /** The step η of LMS and NLMS, the forgetting λ of RLS. */
  step: number;
}

export interface FilterRun {
  y: Float64Array;
  e: Float64Array;
  /** Weights before every `every`-th sample, then those at the end. */
  history: Float64Array[];
  /** The first sample whose error is no number any more; null where all are. */
  lost: number | null;
}

const EPS = 1e-3; // of NLMS
const DELTA = 0.01; // of RLS
const GROWTH = 2 ** 20;

/** Corrects w after error e on the regressor that begins at x[at]. */
type Adapt = (x: Float64Array, at: number, e: number, w: Float64Array) => void;

function lms(eta: number, taps: number): Adapt {
  return (x, at, e, w) => add(w, eta * e, x, at, taps);
}

function add(w: Float64Array, a: number, x: Float64Array, at: number, taps: number): void {
  for (let j = 0; j < taps; j++) w[j] += a * x[at + j];
}

/** `share` times the mean of ‖x‖² from the first sample to this one. */
function floor(share: number): (square: number) => number {
  let mean = 0,
    n = 0;
  return (square) => {
    n++;
    if (square < Infinity) mean += (square - mean) / n;
    return share * mean;
  };
}

function nlms(eta: number, taps: number): Adapt {
  const least = floor(EPS);
  return (x, at, e, w) => {
    const square = rowDot(x, at, x, taps, at);
    const below = least(square) + square;
    if (below > 0) add(w, (eta * e) / below, x, at, taps);
  };
}

/** Recursive least squares on the factors of P = U·D·Uᵀ (Bierman). */
function rls(forgetting: number, taps: number): Adapt {
  const U = Array.from({ length: taps }, () => new Float64Array(taps));
  const D = new Float64Array(taps),
    gain = new Float64Array(taps);
  const lowest = floor(DELTA);
  return (x, at, e, w) => {
    const square = rowDot(x, at, x, taps, at);
    const under = lowest(square);
    if (under === 0 && square === 0) return; // nothing has come in yet
    const least = Math.max(under / GROWTH, 2 ** -1000);
    if (D[0] === 0) D.fill(1 / Math.max(DELTA * square, least));
    let before = forgetting;
    for (let j = 0; j < taps; j++) {
      const column = U[j];
      const v = rowDot(x, at, column, j) + x[at + j];
      const after = before + D[j] * (v * v);
      const a = v / before,
        g = D[j] * v;
      for (let i = 0; i < j; i++) {
        const u = column[i];
        column[i] = u - a * gain[i];
        gain[i] += g * u;
      }
      gain[j] = g;
      D[j] = Math.min((D[j] * (before / after)) / forgetting, 1 / least);
      before = after;
    }
    for (let j = 0; j < taps; j++) w[j] += (e / before) * gain[j];
  };
}

/** A signal backwards: u(n), u(n − 1), … lie in a row from `place(n)` on; zeros come before its first sample. */
export function backwards(u: ArrayLike<number>, taps: number): { x: Float64Array; place: (n: number) => number } {
  const x = new Float64Array(u.length + taps);
  for (let n = 0; n < u.length; n++) x[u.length - 1 - n] = u[n];
  return { x, place: (n) => u.length - 1 - n };
}

/** Run a filter over a signal and what is wanted of it; the weights are kept before every `every`-th sample. */
export function adaptiveFilter(task: Task, u: ArrayLike<number>, d: ArrayLike<number>, every: number): FilterRun {
  const { rule, taps, step } = task;
  const adapt = { LMS: lms, NLMS: nlms, RLS: rls }[rule](step, taps);
  const { x, place } = backwards(u, taps);
  const w = new Float64Array(taps);
  const [y, e] = [new Float64Array(u.length), new Float64Array(u.length)];
  const history: Float64Array[] = [];
  let lost: number | null = null;
  for (let n = 0; n < u.length; n++) {
    if (n % every === 0) history.push(w.slice());
    const at = place(n);
    y[n] = rowDot(x, at, w, taps);
    e[n] = d[n] - y[n];
    if (!Number.isFinite(e[n])) lost ??= n;
    else adapt(x, at, e[n], w);
  }
  history.push(w.slice());
  return { y, e, history, lost };
}

// ------------------------------------------------------------------------------------------- how large the step may be

/** Eigenvalues of the input's correlation matrix, ascending, as in filters/theory/stability.py; by Jacobi's rotations. */
export function eigenvalues(u: ArrayLike<number>, taps: number): number[] {
  const lags = Array.from({ length: taps }, (_, k) => {
    let sum = 0;
    for (let n = k; n < u.length; n++) sum += u[n] * u[n - k];
    return sum / u.length;
  });
  const R = Array.from({ length: taps }, (_, i) => Array.from({ length: taps }, (_, j) => lags[Math.abs(i - j)]));
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    for (let p = 0; p < taps; p++) {
      for (let q = p + 1; q < taps; q++) {
        off = Math.max(off, Math.abs(R[p][q]));
        rotate(R, p, q);
      }
    }
    if (off <= 1e-14 * lags[0]) break;
  }
  return R.map((row, i) => Math.max(0, row[i])).sort((a, b) => a - b);
}

/** Turn the plane of coordinates p and q so that R[p][q] becomes zero. */
function rotate(R: number[][], p: number, q: number): void {
  if (R[p][q] === 0) return;
  const theta = (R[q][q] - R[p][p]) / (2 * R[p][q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1),
    s = t * c;
  for (const row of R) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
  for (let k = 0; k < R.length; k++) [R[p][k], R[q][k]] = [c * R[p][k] - s * R[q][k], s * R[p][k] + c * R[q][k]];
}

export interface Bounds {
  /** The input's power. */
  power: number;
  /** Below this the weights converge on average: 2/λmax. */
  mean: number;
  /** Below this the error's power stays finite as well: where Σ ηλ/(2 − 2ηλ) = 1. */
  meanSquare: number;
}

export function bounds(u: ArrayLike<number>, taps: number): Bounds {
  const values = eigenvalues(u, taps);
  const top = values[taps - 1];
  const power = values.reduce((sum, v) => sum + v, 0) / taps;
  const gain = (eta: number): number => values.reduce((sum, v) => sum + (eta * v) / (2 - 2 * eta * v), 0);
  let [low, high] = [0, 1 / top]; // the gain is infinite there
  for (let k = 0; k < 100 && Number.isFinite(high); k++) {
    const eta = (low + high) / 2;
    if (gain(eta) < 1) low = eta;
    else high = eta;
  }
  return { power, mean: 2 / top, meanSquare: Number.isFinite(high) ? low : Infinity };
}
