/** Points of two classes on a plane, to add, move, flip and delete; what the rooms that have points share. */
import { button, number } from "../dom";
import { Plane, type Line, type Scene } from "../plane";
import { onTheme } from "../theme";
import type { Points } from "../types";

export interface Rules {
  least: number;
  most: number;
  /** The points lie on multiples of this; 0 for anywhere. */
  grid: () => number;
  changed: () => void;
  /** The plane has another size: show the same part of it. */
  fit: () => void;
}

const FAR = 1000; // of a coordinate in an address

export class PointPlane {
  readonly plane: Plane;
  readonly tools: HTMLElement[];
  xs: number[] = [];
  ys: number[] = [];
  labels: number[] = [];
  private moving = false; // by a pointer

  constructor(private readonly rules: Rules) {
    const actions = {
      add: (a: number, b: number, other: boolean) => this.add(a, b, other ? -1 : 1),
      move: (i: number, a: number, b: number, done: boolean) => this.move(i, a, b, done),
      remove: (i: number) => this.remove(i),
      flip: (i: number) => this.flip(i),
      select: (i: number | null) => this.select(i),
      key: (event: KeyboardEvent) => {
        if (event.key.toLowerCase() === "n") this.addInTheMiddle();
      },
    };
    const again = (): void => {
      this.plane.forget(); // its colours are those of the page, which may be others now
      this.rules.fit();
    };
    this.plane = new Plane(actions, again);
    onTheme(again);
    this.tools = [
      button("Add point in the middle", "Add point", () => this.addInTheMiddle()),
      button("Change class of the chosen point", "Change class", () => this.flip(this.plane.selected)),
      button("Delete the chosen point", "Delete", () => this.remove(this.plane.selected)),
    ];
  }

  get n(): number {
    return this.xs.length;
  }

  set(xs: number[], ys: number[], labels: number[]): void {
    [this.xs, this.ys, this.labels] = [[...xs], [...ys], [...labels]];
    this.plane.selected = null;
    this.plane.forget();
  }

  state(): { xs: number[]; ys: number[]; labels: number[] } {
    return { xs: [...this.xs], ys: [...this.ys], labels: [...this.labels] };
  }

  /** Whether this room could have these points. */
  allows({ xs, ys, labels }: ReturnType<PointPlane["state"]>): boolean {
    const { least, most } = this.rules;
    const size = xs.length === ys.length && xs.length === labels.length && xs.length >= least && xs.length <= most;
    return size && [...xs, ...ys].every((v) => Math.abs(v) <= FAR) && labels.every((y) => Math.abs(y) === 1);
  }

  places(): [number, number][] {
    return this.xs.map((a, i) => [a, this.ys[i]]);
  }

  points(): Points {
    const X = Float64Array.from(this.places().flat());
    return { n: this.n, p: 2, X, y: Int8Array.from(this.labels) };
  }

  draw(lines: Line[], wrong: readonly boolean[], marked: number[] = [], more: Partial<Scene> = {}): void {
    const { xs, ys, labels } = this;
    const words = (i: number): string => (wrong[i] ? ", on the wrong side" : "");
    this.plane.draw({
      xs,
      ys,
      y: labels,
      wrong: wrong.map(Number),
      lines,
      corrected: null,
      added: null,
      witness: null,
      marked,
      axes: ["x1", "x2"],
      label: (i) => `Point ${i + 1}, class ${named(labels[i])}, at ${number(xs[i])}, ${number(ys[i])}${words(i)}`,
      movable: true,
      ...more,
    });
  }

  private onGrid(value: number): number {
    const grid = this.rules.grid();
    return grid > 0 ? Math.round(value / grid) * grid + 0 : value;
  }

  private add(a: number, b: number, label: number): void {
    if (this.n >= this.rules.most) return;
    this.xs.push(this.onGrid(a));
    this.ys.push(this.onGrid(b));
    this.labels.push(label);
    this.plane.selected = this.n - 1;
    this.rules.changed();
    this.plane.focusPoint(this.n - 1);
  }

  private addInTheMiddle(): void {
    const { x0, x1, y0, y1 } = this.plane.frame;
    this.add((x0 + x1) / 2, (y0 + y1) / 2, 1);
  }

  private move(i: number, a: number, b: number, done: boolean): void {
    const byKey = done && !this.moving;
    this.moving = !done;
    this.xs[i] = byKey ? this.stepped(this.xs[i], a) : this.onGrid(a);
    this.ys[i] = byKey ? this.stepped(this.ys[i], b) : this.onGrid(b);
    this.rules.changed();
  }

  /** A key moves at least to the next line of the grid. */
  private stepped(from: number, to: number): number {
    const there = this.onGrid(to);
    return there === from && to !== from ? from + Math.sign(to - from) * this.rules.grid() : there;
  }

  private remove(i: number | null): void {
    if (i === null || this.n <= this.rules.least) return;
    for (const list of [this.xs, this.ys, this.labels]) list.splice(i, 1);
    this.plane.selected = Math.min(i, this.n - 1);
    this.plane.forget();
    this.rules.changed();
    this.plane.focusPoint(this.plane.selected);
  }

  private flip(i: number | null): void {
    if (i === null) return;
    this.labels[i] = -this.labels[i];
    this.rules.changed();
  }

  private select(i: number | null): void {
    if (this.plane.selected === i) return;
    this.plane.selected = i;
    this.rules.changed();
  }
}

function named(label: number): string {
  return label > 0 ? "+1" : "−1";
}

export function lineOf(name: string, look: string, w: ArrayLike<number>): Line[] {
  if (w[0] === 0 && w[1] === 0) return [];
  return [{ name, look, conic: [0, 0, 0, w[0], w[1], w[2]] }];
}
