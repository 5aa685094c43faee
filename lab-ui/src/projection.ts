/**
 * More than two features on a plane: one axis is the signed distance to the hyperplane, so that sides and distances are
 * true; the other is the data's first principal direction, made orthogonal to it.
 */
import type { Points } from "./types";

export interface Projected {
  xs: Float64Array;
  ys: Float64Array;
}

export class Projection {
  private readonly centre: Float64Array;
  private readonly directions: Float64Array[]; // the first two principal directions

  constructor(readonly points: Points) {
    const { n, p, X } = points;
    this.centre = new Float64Array(p);
    for (let i = 0; i < n; i++) for (let j = 0; j < p; j++) this.centre[j] += X[i * p + j] / Math.max(1, n);
    this.directions = [];
    for (let k = 0; k < Math.min(2, p); k++) this.directions.push(this.principal(this.directions));
  }

  /** Where the points lie for weights w (the bias last); with w = 0 the two principal directions. */
  at(w: Float64Array): Projected {
    const { n, p, X } = this.points;
    const length = Math.hypot(...w.subarray(0, p));
    const normal = length > 0 ? w.subarray(0, p).map((v) => v / length) : this.directions[0];
    const offset = length > 0 ? w[p] / length : -dot(normal, this.centre);
    const across = this.orthogonal(normal);
    const shift = dot(across, this.centre);
    const xs = new Float64Array(n),
      ys = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let a = offset,
        b = -shift;
      for (let j = 0; j < p; j++) {
        a += normal[j] * X[i * p + j];
        b += across[j] * X[i * p + j];
      }
      xs[i] = a;
      ys[i] = b;
    }
    return { xs, ys };
  }

  private orthogonal(normal: Float64Array): Float64Array {
    for (const direction of this.directions) {
      const along = dot(direction, normal);
      const rest = direction.map((v, j) => v - along * normal[j]);
      const length = Math.hypot(...rest);
      if (length > 1e-3) return rest.map((v) => v / length);
    }
    return new Float64Array(normal.length);
  }

  /** Power iteration on the covariance, orthogonal to the directions already found. */
  private principal(found: Float64Array[]): Float64Array {
    const { n, p, X } = this.points;
    let v = new Float64Array(p).map((_, j) => 1 + ((j * 7) % 11) / 11);
    for (let round = 0; round < 60; round++) {
      const next = new Float64Array(p);
      for (let i = 0; i < n; i++) {
        let a = 0;
        for (let j = 0; j < p; j++) a += v[j] * (X[i * p + j] - this.centre[j]);
        for (let j = 0; j < p; j++) next[j] += a * (X[i * p + j] - this.centre[j]);
      }
      for (const other of found) {
        const along = dot(next, other);
        for (let j = 0; j < p; j++) next[j] -= along * other[j];
      }
      const length = Math.hypot(...next);
      if (!(length > 0)) break;
      v = next.map((value) => value / length);
    }
    return v;
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
