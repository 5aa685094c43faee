/** The regressions' hyperplanes, and how many points each has on the wrong side, where no Python works them out. */
import { learn, logistic, rowDot } from "./perceptron";
import { examples } from "./proof/dyadic";
import { solve } from "./proof/linear";
import { floatBelow } from "./proof/whole";
import { word } from "./random";
import { Replay } from "./replay";
import { USUAL, type Points, type Rival } from "./types";

const PASSES = 200; // of LMS
const STEPS = 50; // of Newton's method
const SETTLED = 1e-12;

export function rivals(points: Points, names: string[]): Rival[] {
  const models: Record<string, (points: Points) => number[]> = {
    "least squares": leastSquares,
    LMS: lms,
    logistic: newton,
  };
  return names.map((name) => {
    const w = models[name](points);
    return { name, w, wrong: wrong(points, w), sentence: "" };
  });
}

function wrong({ n, p, X, y }: Points, w: ArrayLike<number>): number {
  let count = 0;
  for (let i = 0; i < n; i++) if (!(y[i] * (rowDot(X, i * p, w, p) + w[p]) > 0)) count++;
  return count;
}

/** The w with Σ zzᵀ·w = Σ z, z = y·(x, 1): exactly, then rounded. Weights that the points leave open are zero. */
function leastSquares(points: Points): number[] {
  const { rows, exponents } = examples(points);
  const d = points.p + 1;
  const gram = Array.from({ length: d }, (_, j) =>
    Array.from({ length: d }, (_, k) => rows.reduce((sum, z) => sum + z[j] * z[k], 0n)),
  );
  const total = Array.from({ length: d }, (_, j) => rows.reduce((sum, z) => sum + z[j], 0n));
  const { c, under } = solve(gram, total)!; // Σ z is a combination of the rows
  return c.map((v, j) => {
    const shift = BigInt(Math.abs(exponents[j]));
    return exponents[j] < 0 ? floatBelow(v << shift, under) : floatBelow(v, under << shift);
  });
}

/** Widrow and Hoff's rule, in turn from w = 0, as lab/simulation.py runs it. */
function lms(points: Points): number[] {
  const start = new Float64Array(points.p + 1);
  const budget = { corrections: Infinity, presentations: PASSES * points.n };
  const run = learn(points, { ...USUAL, learner: "adaline" }, start, word("0x0"), budget);
  return [...new Replay(points, { ...run, start }).at(run.rows.length)];
}

/** Newton's method for the logistic loss; its first step from 0 is twice least squares. It stops where all is right. */
function newton(points: Points): number[] {
  const { n, p, X, y } = points;
  let w = leastSquares(points).map((v) => 2 * v);
  for (let step = 0; step < STEPS && wrong(points, w) > 0; step++) {
    const gradient = new Array<number>(p + 1).fill(0);
    const curvature = Array.from({ length: p + 1 }, () => new Array<number>(p + 1).fill(0));
    for (let i = 0; i < n; i++) {
      const z = Array.from({ length: p + 1 }, (_, j) => y[i] * (j < p ? X[i * p + j] : 1));
      const chance = logistic(-z.reduce((sum, v, j) => sum + v * w[j], 0));
      z.forEach((v, j) => {
        gradient[j] += chance * v;
        z.forEach((u, k) => (curvature[j][k] += chance * (1 - chance) * v * u));
      });
    }
    const change = eliminated(curvature, gradient);
    w = w.map((v, j) => v + change[j]);
    if (change.every((v, j) => Math.abs(v) <= SETTLED * Math.abs(w[j]) + 1e-300)) break;
  }
  return w;
}

/** The solution of a symmetric system, its diagonal brought to one; directions without curvature are left alone. */
function eliminated(matrix: number[][], right: number[]): number[] {
  const scale = matrix.map((row, j) => 1 / Math.sqrt(row[j] || 1));
  const rows = matrix.map((row, j) => [...row.map((v, k) => v * scale[j] * scale[k]), right[j] * scale[j]]);
  const d = rows.length;
  for (let r = 0; r < d; r++) {
    if (rows[r][r] < 1e-13) {
      rows[r].fill(0);
      rows.forEach((row) => (row[r] = 0));
      rows[r][r] = 1;
    }
    for (let i = 0; i < d; i++) {
      if (i === r) continue;
      const factor = rows[i][r] / rows[r][r];
      for (let k = r; k <= d; k++) rows[i][k] -= factor * rows[r][k];
    }
  }
  return rows.map((row, j) => (row[d] / row[j]) * scale[j]);
}
