/** The points at hand: all features of all rows, and the part of them that is looked at. */
import { typeset } from "./dom";
import type { Points } from "./types";

export type View = { kind: "pair"; i: number; j: number } | { kind: "all" };

/** A table with three or more classes: one of them is +1, the rest are −1. */
export interface Several {
  levels: string[];
  /** The class of each row, counted from 0; REST where somebody has made it one of the rest. */
  codes: number[];
  positive: number;
}

const REST = -1;

export function oneAgainst(levels: string[], positive: number): string {
  return `${levels.length} classes: ${levels[positive]} is +1, the rest are −1`;
}

const DRAWN = 10_000; // rows

/** All rows of a table that is too large to be drawn: its data are a sample of them. */
export interface Whole {
  n: number;
  /** All features of all rows, and the classes as codes. */
  X: Float64Array;
  codes: ArrayLike<number>;
  positive: number;
}

export class Data {
  /** Null where the rows are all there are. */
  whole: Whole | null = null;
  view: View;
  /** Null where there are two classes. */
  several: Several | null = null;
  /** Whether these are the columns of a table, with units of their own. */
  table = false;
  /** Whether columns are shifted and scaled to mean 0 and deviation 1 before the learner sees them. */
  scaled = false;
  private mean: number[];
  private deviation: number[];
  private cached: Points | null = null;

  constructor(
    readonly names: string[],
    public classes: [string, string],
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

  /** A table: of rows that are too many to be drawn, a sample evenly over all. */
  static table(names: string[], levels: string[], X: Float64Array, codes: ArrayLike<number>, positive: number, title: string): Data {
    const [n, p] = [codes.length, names.length];
    const shown = Math.min(n, DRAWN);
    const at = Array.from({ length: shown }, (_, k) => Math.floor((k * n) / shown));
    const rows = at.map((i) => Array.from(X.subarray(i * p, (i + 1) * p)));
    const classes: [string, string] = [levels[1 - positive] ?? "", levels[positive]];
    const data = new Data(names, classes, rows, at.map((i) => (codes[i] === positive ? 1 : -1)), title);
    if (levels.length > 2) {
      data.several = { levels, codes: at.map((i) => codes[i]), positive };
      data.against(positive);
    }
    data.table = true;
    if (shown < n) {
      data.whole = { n, X, codes, positive };
      data.scale = scaleOf(X, p);
    }
    return data;
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

  /** A copy, to be kept while this one is changed. */
  copy(): Data {
    const rows = this.rows.map((row) => [...row]);
    const twin = new Data(this.names, this.classes, rows, [...this.y], this.title);
    const { view, scaled, table, mean, deviation } = this; // points that are moved do not move the scale
    const several = this.several && { ...this.several, codes: [...this.several.codes] };
    return Object.assign(twin, { view, scaled, table, mean, deviation, several, whole: this.whole });
  }

  /** How columns are shifted and scaled: it stays when points are moved. */
  get scale(): { mean: number[]; deviation: number[] } {
    return { mean: this.mean, deviation: this.deviation };
  }

  set scale({ mean, deviation }: { mean: number[]; deviation: number[] }) {
    const sound = (values: number[]): boolean => values.length === this.names.length && values.every(Number.isFinite);
    if (!sound(mean) || !sound(deviation) || deviation.includes(0)) throw new RangeError("no scale of these columns");
    [this.mean, this.deviation] = [mean, deviation];
    this.touch();
  }

  /** One class against the rest. */
  against(positive: number): void {
    const { levels, codes } = this.several!;
    this.several!.positive = positive;
    this.classes = [`not ${levels[positive]}`, levels[positive]];
    codes.forEach((code, i) => (this.y[i] = code === positive ? 1 : -1));
    this.touch();
  }

  /** The classes in a few words. */
  get told(): string {
    if (!this.several) return `classes ${this.className(-1)} and ${this.className(1)}`;
    return oneAgainst(this.several.levels, this.several.positive);
  }

  /** What −1 stands for: the classes of the rest, where they are few enough for a mark each. */
  get others(): string[] {
    const { levels, codes, positive } = this.several ?? { levels: [], codes: [], positive: 0 };
    const rest = levels.filter((_, k) => k !== positive);
    if (rest.length < 2 || rest.length > 3) return [this.className(-1)];
    return codes.includes(REST) ? [...rest, this.className(-1)] : rest;
  }

  /** The place of row i's class among `others`; that of a point somebody has made one of the rest is the last. */
  other(i: number): number {
    const { codes, positive } = this.several!;
    return codes[i] === REST ? this.others.length - 1 : codes[i] - (codes[i] > positive ? 1 : 0);
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

  /** Whether there is nothing to choose about the table. */
  get plain(): boolean {
    return this.names.length === 2 && !this.table && !this.several;
  }

  get movable(): boolean {
    return this.view.kind === "pair" && this.names.length > 1;
  }

  /** All rows in the columns that are looked at, in the units they came in. */
  unscaled(): Points {
    const { scaled, cached } = this;
    this.scaled = false;
    this.cached = null;
    const found = this.allPoints() ?? this.points();
    Object.assign(this, { scaled, cached });
    return found;
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

  /** All rows as the learner would be given them; null where the rows at hand are all. */
  allPoints(): Points | null {
    const all = this.allRows();
    if (!all) return null;
    const columns = this.columns,
      p = columns.length;
    const X = new Float64Array(all.n * p);
    for (let i = 0; i < all.n; i++) {
      const row = all.X.subarray(i * all.p, (i + 1) * all.p);
      columns.forEach((c, j) => (X[i * p + j] = this.shown(row, c)));
    }
    return { ...all, p, X };
  }

  /** All rows as they came; null where the rows at hand are all. */
  allRows(): Points | null {
    if (!this.whole) return null;
    const { n, X, codes, positive } = this.whole;
    const against = this.several?.positive ?? positive;
    return { n, p: this.names.length, X, y: Int8Array.from(codes, (code) => (code === against ? 1 : -1)) };
  }

  /** The data have changed, or what is looked at. */
  touch(): void {
    this.cached = null;
  }

  /** A point of class +1 that is nearest to the middle of the other class, and that middle, which is in the other hull. */
  crossing(): { i: number; from: [number, number]; to: [number, number] } {
    const { X } = this.points();
    const others = this.y.flatMap((y, i) => (y < 0 ? [i] : []));
    const mean = (j: number): number => others.reduce((sum, i) => sum + X[2 * i + j], 0) / others.length;
    const to: [number, number] = [mean(0), mean(1)];
    const away = (i: number): number => Math.hypot(X[2 * i] - to[0], X[2 * i + 1] - to[1]);
    const mine = this.y.flatMap((y, i) => (y > 0 ? [i] : []));
    const i = mine.reduce((best, one) => (away(one) < away(best) ? one : best));
    return { i, from: [X[2 * i], X[2 * i + 1]], to };
  }

  place(i: number, a: number, b: number): void {
    const [first, second] = this.columns;
    this.whole = null; // these are somebody's own rows now
    this.rows[i][first] = this.raw(a, first);
    this.rows[i][second] = this.raw(b, second);
    this.touch();
  }

  add(a: number, b: number, y: number): number {
    this.rows.push(this.mean.slice());
    this.y.push(y);
    this.several?.codes.push(REST);
    this.recode(this.n - 1);
    this.place(this.n - 1, a, b);
    return this.n - 1;
  }

  remove(i: number): void {
    this.whole = null;
    this.rows.splice(i, 1);
    this.y.splice(i, 1);
    this.several?.codes.splice(i, 1);
    this.touch();
  }

  flip(i: number): void {
    this.whole = null;
    this.y[i] = -this.y[i];
    this.recode(i);
    this.touch();
  }

  /** A point whose class somebody has chosen: the class that is +1, or one of the rest. */
  private recode(i: number): void {
    if (this.several) this.several.codes[i] = this.y[i] > 0 ? this.several.positive : REST;
  }

  className(y: number): string {
    return typeset(this.classes[y > 0 ? 1 : 0]);
  }

  /** A class as files have it: numbers that every reader takes. */
  written(y: number): string {
    return this.className(y).replace(/^−(?=[\d.])/, "-").replace(/^\+(?=[\d.])/, "");
  }

  private shown(row: ArrayLike<number>, c: number): number {
    return this.scaled ? (row[c] - this.mean[c]) / this.deviation[c] : row[c];
  }

  private raw(value: number, c: number): number {
    return this.scaled ? this.mean[c] + this.deviation[c] * value : value;
  }
}

/** Mean and deviation of each column. */
function scaleOf(X: Float64Array, width: number): Data["scale"] {
  const n = X.length / width;
  const columns = Array.from({ length: width }, (_, j) => j);
  const mean = columns.map((j) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += X[i * width + j];
    return sum / n;
  });
  const deviation = columns.map((j) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += (X[i * width + j] - mean[j]) ** 2;
    return Math.sqrt(sum / n) || 1;
  });
  return { mean, deviation };
}
