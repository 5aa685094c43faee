/** Features Φ(x) of a point in the plane; the twin of lab/settings.py. */
import type { Conic } from "./conic";
import type { Phi, Points } from "./types";

type Feature = (a: number, b: number) => number;

export const MAPS: Record<Phi, { title: string; added: Record<string, Feature> }> = {
  x: { title: "x1, x2", added: {} },
  product: { title: "x1, x2, x1·x2", added: { "x1·x2": (a, b) => a * b } },
  squares: { title: "x1, x2, x1², x2²", added: { "x1²": (a) => a * a, "x2²": (_, b) => b * b } },
  quadratic: {
    title: "x1, x2, x1·x2, x1², x2²",
    added: { "x1·x2": (a, b) => a * b, "x1²": (a) => a * a, "x2²": (_, b) => b * b },
  },
};

/** The points as the learner sees them. */
export function expand(points: Points, phi: Phi): Points {
  const features = Object.values(MAPS[phi].added);
  if (points.p !== 2 || features.length === 0) return points;
  const p = 2 + features.length;
  const X = new Float64Array(points.n * p);
  for (let i = 0; i < points.n; i++) {
    const a = points.X[2 * i],
      b = points.X[2 * i + 1];
    X[i * p] = a;
    X[i * p + 1] = b;
    features.forEach((f, j) => (X[i * p + 2 + j] = f(a, b)));
  }
  return { n: points.n, p, X, y: points.y };
}

/** w·Φ(x) + b on the plane as a conic, for weights with the bias last. */
export function conicOf(w: ArrayLike<number>, phi: Phi): Conic {
  const added = Object.keys(MAPS[phi].added);
  const of = (name: string): number => (added.includes(name) ? w[2 + added.indexOf(name)] : 0);
  return [of("x1²"), of("x1·x2"), of("x2²"), w[0], w[1], w[w.length - 1]];
}

/** A conic's value at a place; pictures ask it ten thousand times a frame. */
export function valueOf([xx, xy, yy, x, y, one]: Conic): (a: number, b: number) => number {
  if (xx === 0 && xy === 0 && yy === 0) return (a, b) => x * a + y * b + one;
  return (a, b) => x * a + y * b + xy * a * b + xx * a * a + yy * b * b + one;
}
