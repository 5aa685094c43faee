/**
 * Gordan's alternative as a linear program: minimise Σ (u + v) subject to Σ λ·z + u − v = 0, Σ λ = 1, all ≥ 0.
 *
 * At its end either the value is 0 and λ is a mixture of the z that vanishes, or the prices are a w with z·w > 0 for
 * every z. It needs no first phase. The inverse of the basis is kept as (adjugate, determinant), so whole numbers stay
 * whole (Edmonds' integer pivoting); against cycling Bland's rule takes over where steps do not move.
 */
import { dot, type Arithmetic } from "./arithmetic";

export interface Optimum<T> {
  /** Columns of the basis: below n a row of z, then u of each coordinate, then v. */
  basis: number[];
  /** Positive λ by row, times the determinant. */
  lambda: Map<number, T>;
  /** z·w ≥ value for every z, both times the determinant. */
  w: T[];
  value: T;
}

export class Simplex<T> {
  private readonly n: number;
  private readonly d: number;
  private readonly basis: number[];
  /** The basis's inverse times `unit`, its determinant, which is kept positive. */
  private inverse: T[][];
  private unit: T;

  constructor(
    private readonly numbers: Arithmetic<T>,
    private readonly rows: readonly T[][],
  ) {
    const { zero, one, minus } = numbers;
    this.n = rows.length;
    this.d = rows[0].length;
    const first = rows[0];
    const sign = first.map((v) => (v > zero ? minus(zero, one) : one));
    this.basis = [...first.map((v, j) => this.n + j + (v > zero ? this.d : 0)), 0];
    this.inverse = Array.from({ length: this.d + 1 }, () => new Array<T>(this.d + 1).fill(zero));
    first.forEach((v, j) => {
      this.inverse[j][j] = sign[j];
      this.inverse[j][this.d] = numbers.times(minus(zero, sign[j]), v);
    });
    this.inverse[this.d][this.d] = one;
    this.unit = one;
  }

  /** Go to this basis, if it is one that is feasible; otherwise stay at the beginning, and say so. */
  begin(wanted: readonly number[]): boolean {
    const target = new Set(wanted);
    for (const column of wanted) {
      if (this.basis.includes(column)) continue;
      const entering = this.entering(column);
      const r = this.basis.findIndex((b, i) => !target.has(b) && entering[i] !== this.numbers.zero);
      if (r < 0) return false;
      this.pivot(r, column, entering);
    }
    return this.inverse.every((row) => row[this.d] >= this.numbers.zero);
  }

  /** The optimum; null after `most` steps. */
  run(most: number): Optimum<T> | null {
    let still = 0; // steps in a row that did not move
    for (let step = 0; step < most; step++) {
      const prices = this.prices();
      const column = this.improving(prices, still > this.d);
      if (column === null) return this.optimum(prices);
      const entering = this.entering(column);
      const r = this.leaving(entering);
      if (r === null) return null; // only rounding can say so: the value is bounded
      still = this.inverse[r][this.d] > this.numbers.zero ? 0 : still + 1;
      this.pivot(r, column, entering);
    }
    return null;
  }

  private optimum(prices: T[]): Optimum<T> {
    const { zero, minus } = this.numbers;
    const lambda = new Map<number, T>();
    this.basis.forEach((column, r) => {
      if (column < this.n && this.inverse[r][this.d] > zero) lambda.set(column, this.inverse[r][this.d]);
    });
    const w = prices.slice(0, this.d).map((v) => minus(zero, v));
    return { basis: [...this.basis], lambda, w, value: prices[this.d] };
  }

  /** c·B⁻¹, the costs being 1 for u and v. */
  private prices(): T[] {
    const total = new Array<T>(this.d + 1).fill(this.numbers.zero);
    this.basis.forEach((column, r) => {
      if (column < this.n) return;
      for (let j = 0; j <= this.d; j++) total[j] = this.numbers.plus(total[j], this.inverse[r][j]);
    });
    return total;
  }

  /** The column that improves most, or the first (Bland); null at the optimum. */
  private improving(prices: T[], bland: boolean): number | null {
    const { zero, plus, minus, below } = this.numbers;
    let best: number | null = null;
    let gain = zero;
    const consider = (column: number, value: T): boolean => {
      if (!below(gain, value, best === null ? this.unit : zero)) return false;
      gain = value;
      best = column;
      return bland;
    };
    for (let i = 0; i < this.n; i++) {
      if (consider(i, plus(dot(this.numbers, this.rows[i], prices), prices[this.d]))) return best;
    }
    for (let j = 0; j < this.d; j++) if (consider(this.n + j, minus(prices[j], this.unit))) return best;
    for (let j = 0; j < this.d; j++) {
      if (consider(this.n + this.d + j, minus(minus(zero, prices[j]), this.unit))) return best;
    }
    return best;
  }

  /** B⁻¹ times a column. */
  private entering(column: number): T[] {
    const { zero, plus, minus } = this.numbers;
    if (column < this.n) {
      const z = this.rows[column];
      return this.inverse.map((row) => plus(dot(this.numbers, z, row), row[this.d]));
    }
    const j = (column - this.n) % this.d;
    return this.inverse.map((row) => (column < this.n + this.d ? row[j] : minus(zero, row[j])));
  }

  /** Who reaches zero first; of several the smallest column (Bland). */
  private leaving(entering: T[]): number | null {
    const { zero, times, below } = this.numbers;
    let best: number | null = null;
    entering.forEach((a, r) => {
      if (!below(zero, a, this.unit)) return;
      if (best === null) return void (best = r);
      const mine = times(this.inverse[r][this.d], entering[best]),
        its = times(this.inverse[best][this.d], a);
      if (mine < its || (mine === its && this.basis[r] < this.basis[best])) best = r;
    });
    return best;
  }

  private pivot(r: number, column: number, entering: T[]): void {
    const { zero, minus, times, over } = this.numbers;
    const pivot = entering[r],
      row = this.inverse[r];
    this.inverse = this.inverse.map((other, i) =>
      i === r ? other : other.map((v, j) => over(minus(times(v, pivot), times(entering[i], row[j])), this.unit)),
    );
    this.unit = pivot;
    this.basis[r] = column;
    if (pivot > zero) return;
    this.unit = minus(zero, pivot);
    this.inverse = this.inverse.map((other) => other.map((v) => minus(zero, v)));
  }
}
