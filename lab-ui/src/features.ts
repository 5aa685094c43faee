/** Features Φ(x) of a point in the plane; the twin of lab/features.py. */
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

/** x ↦ w·Φ(x) + b on the plane, for weights with the bias last. */
export function response(w: ArrayLike<number>, phi: Phi): (a: number, b: number) => number {
  const features = Object.values(MAPS[phi].added);
  const bias = w[w.length - 1];
  if (features.length === 0) return (a, b) => w[0] * a + w[1] * b + bias;
  return (a, b) => {
    let s = w[0] * a + w[1] * b;
    for (let j = 0; j < features.length; j++) s += w[2 + j] * features[j](a, b);
    return s + bias;
  };
}
