/** The points at hand: all features of all rows, and the part of them that is looked at. */
import type { Points } from "./types";

export type View = { kind: "pair"; i: number; j: number } | { kind: "all" };

export class Data {
  view: View;
  /** Whether columns are shifted and scaled to mean 0 and deviation 1 before anybody learns from them. */
  scaled = false;
  private readonly mean: number[];
  private readonly deviation: number[];
  private cached: Points | null = null;

  constructor(
    readonly names: string[],
    readonly classes: [string, string],
    readonly rows: number[][],
    readonly y: number[],
    readonly title: string,
  ) {
    this.view = { kind: "pair", i: 0, j: Math.min(1, names.length - 1) };
    this.mean = names.map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / Math.max(1, rows.length));
    this.deviation = names.map((_, j) => {
      const sum = rows.reduce((total, row) => total + (row[j] - this.mean[j]) ** 2, 0);
      return Math.sqrt(sum / Math.max(1, rows.length)) || 1;
    });
  }

  static of(
    names: string[],
    classes: [string, string],
    X: ArrayLike<number>,
    y: ArrayLike<number>,
    title: string,
  ): Data {
    const p = names.length;
    const rows = Array.from({ length: y.length }, (_, i) => Array.from({ length: p }, (_, j) => X[i * p + j]));
    return new Data(names, classes, rows, Array.from(y), title);
  }

  /** The same, to be kept while this one is changed. */
  copy(): Data {
    const rows = this.rows.map((row) => [...row]);
    const twin = new Data(this.names, this.classes, rows, [...this.y], this.title);
    const { view, scaled, mean, deviation } = this; // points that are moved do not move the scale
    return Object.assign(twin, { view, scaled, mean, deviation });
  }

  get n(): number {
    return this.rows.length;
  }

  /** The columns that are looked at. */
  get columns(): number[] {
    return this.view.kind === "all"
      ? this.names.map((_, j) => j)
      : this.names.length === 1
        ? [0]
        : [this.view.i, this.view.j];
  }

  get movable(): boolean {
    return this.view.kind === "pair" && this.names.length > 1;
  }

  /** What the learner is given. */
  points(): Points {
    if (this.cached) return this.cached;
    const columns = this.columns,
      p = columns.length;
    const X = new Float64Array(this.n * p);
    this.rows.forEach((row, i) => columns.forEach((c, j) => (X[i * p + j] = this.shown(row, c))));
    return (this.cached = { n: this.n, p, X, y: Int8Array.from(this.y) });
  }

  /** The data have changed, or what is looked at. */
  touch(): void {
    this.cached = null;
  }

  place(i: number, a: number, b: number): void {
    const [first, second] = this.columns;
    this.rows[i][first] = this.raw(a, first);
    this.rows[i][second] = this.raw(b, second);
    this.touch();
  }

  add(a: number, b: number, y: number): number {
    this.rows.push(this.mean.slice());
    this.y.push(y);
    this.place(this.n - 1, a, b);
    return this.n - 1;
  }

  remove(i: number): void {
    this.rows.splice(i, 1);
    this.y.splice(i, 1);
    this.touch();
  }

  flip(i: number): void {
    this.y[i] = -this.y[i];
    this.touch();
  }

  className(y: number): string {
    return this.classes[y > 0 ? 1 : 0];
  }

  /** A class as files have it: numbers that every reader takes. */
  written(y: number): string {
    return this.className(y).replace(/^−(?=[\d.])/, "-").replace(/^\+(?=[\d.])/, "");
  }

  private shown(row: number[], c: number): number {
    return this.scaled ? (row[c] - this.mean[c]) / this.deviation[c] : row[c];
  }

  private raw(value: number, c: number): number {
    return this.scaled ? this.mean[c] + this.deviation[c] * value : value;
  }
}
