/** A square part of the plane with an even grid, and handles that mouse, touch and keys can move. */
import type { Frame } from "../contour";
import { number, s, ticks } from "../dom";

const SIZE = 420;
const STEP = 1 / 40; // of the frame: how far an arrow key moves a handle

export type Point = [number, number];
/** w1·a + w2·b + c = 0. */
export type Straight = [number, number, number];

export interface Moves {
  /** Where the handle is wanted. */
  move(a: number, b: number): void;
  remove?(): void;
}

const WHAT = { role: "button", "aria-roledescription": "handle" };

export class Handle {
  readonly element: SVGGElement;
  private readonly ring = s("circle", { class: "reach", r: 17 });
  private at: Point = [0, 0];

  constructor(
    private readonly stage: Stage,
    look: string,
    private readonly moves: Moves,
  ) {
    const dot = s("circle", { class: "grip", r: 7 });
    this.element = s("g", { class: `handle ${look}`, tabindex: 0, ...WHAT }, this.ring, dot);
    this.element.addEventListener("pointerdown", (event) => this.grab(event));
    this.element.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false }); // no scrolling
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  place([a, b]: Point, label: string): void {
    this.at = [a, b];
    this.element.setAttribute("transform", `translate(${this.stage.px(a).toFixed(2)} ${this.stage.py(b).toFixed(2)})`);
    this.element.setAttribute("aria-label", label);
  }

  show(seen: boolean): void {
    this.element.style.display = seen ? "" : "none";
  }

  private grab(down: PointerEvent): void {
    down.preventDefault();
    this.element.focus();
    this.element.setPointerCapture(down.pointerId);
    const [a, b] = this.stage.point(down);
    const [da, db] = [this.at[0] - a, this.at[1] - b]; // the handle stays where the finger took it
    const drag = (event: PointerEvent): void => {
      const [x, y] = this.stage.inside(this.stage.point(event));
      this.moves.move(x + da, y + db);
    };
    const drop = (): void => {
      this.element.removeEventListener("pointermove", drag);
      this.element.removeEventListener("pointerup", drop);
      this.element.removeEventListener("pointercancel", drop);
    };
    this.element.addEventListener("pointermove", drag);
    this.element.addEventListener("pointerup", drop);
    this.element.addEventListener("pointercancel", drop);
  }

  private key(event: KeyboardEvent): void {
    const ways: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = ways[event.key];
    if (way) {
      const far = this.stage.unit * STEP * (event.shiftKey ? 5 : 1);
      this.moves.move(...this.stage.inside([this.at[0] + way[0] * far, this.at[1] + way[1] * far]));
    } else if (this.moves.remove && (event.key === "Delete" || event.key === "Backspace")) this.moves.remove();
    else return;
    event.preventDefault();
  }
}

export class Stage {
  readonly element: SVGSVGElement;
  private readonly ground = s("g", { "aria-hidden": "true" });
  private readonly grid = s("g", { class: "grid", "aria-hidden": "true" });
  private readonly lines = s("g", { "aria-hidden": "true" });
  private readonly handles = s("g");

  constructor(
    label: string,
    public frame: Frame,
    private axes: [string, string],
    tap: ((a: number, b: number) => void) | null = null,
  ) {
    const name = { role: "group", "aria-label": label };
    this.element = s("svg", { class: "drawing square", viewBox: `0 0 ${SIZE} ${SIZE}`, ...name });
    this.element.append(this.ground, this.grid, this.lines, this.handles);
    if (tap) {
      this.element.addEventListener("click", (event) => {
        if (!(event.target as Element).closest(".handle")) tap(...this.point(event));
      });
    }
    this.drawGrid();
    new ResizeObserver(() => {
      const width = this.element.clientWidth;
      if (width > 40) this.element.style.setProperty("--unit", (SIZE / width).toFixed(3)); // words keep their size
    }).observe(this.element);
  }

  get unit(): number {
    return this.frame.x1 - this.frame.x0;
  }

  px(a: number): number {
    return ((a - this.frame.x0) / this.unit) * SIZE;
  }

  py(b: number): number {
    return ((this.frame.y1 - b) / (this.frame.y1 - this.frame.y0)) * SIZE;
  }

  /** The point of the plane under the pointer. */
  point({ clientX, clientY }: MouseEvent): Point {
    const box = this.element.getBoundingClientRect();
    const { x0, y1, y0 } = this.frame;
    const [x, y] = [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
    return [x0 + x * this.unit, y1 - y * (y1 - y0)];
  }

  inside([a, b]: Point): Point {
    const { x0, x1, y0, y1 } = this.frame;
    return [Math.min(x1, Math.max(x0, a)), Math.min(y1, Math.max(y0, b))];
  }

  handle(look: string, moves: Moves): Handle {
    const one = new Handle(this, look, moves);
    this.handles.append(one.element);
    return one;
  }

  look(frame: Frame, axes: [string, string] = this.axes): void {
    this.frame = frame;
    this.axes = axes;
    this.drawGrid();
  }

  draw(ground: SVGElement[], lines: SVGElement[]): void {
    this.ground.replaceChildren(...ground);
    this.lines.replaceChildren(...lines);
  }

  polygon(points: Point[], look: string): SVGElement {
    const places = points.map(([a, b]) => `${this.px(a).toFixed(2)},${this.py(b).toFixed(2)}`);
    return s("polygon", { class: look, points: places.join(" ") });
  }

  segment([a, b]: Point, [c, d]: Point, look: string, more: Record<string, string> = {}): SVGElement {
    return s("line", { class: look, x1: this.px(a), y1: this.py(b), x2: this.px(c), y2: this.py(d), ...more });
  }

  text([a, b]: Point, words: string, look: string, dx = 0, dy = 0, anchor = "middle"): SVGElement {
    return s("text", { class: look, x: this.px(a) + dx, y: this.py(b) + dy, "text-anchor": anchor }, words);
  }

  /** An arrow with its head. */
  arrow(from: Point, to: Point, look: string): SVGElement {
    const [x1, y1, x2, y2] = [this.px(from[0]), this.py(from[1]), this.px(to[0]), this.py(to[1])];
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 1) return s("g");
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [bx, by] = [x2 - 9 * ux, y2 - 9 * uy];
    const head = `M${x2} ${y2}L${bx - 5 * uy} ${by + 5 * ux}L${bx + 5 * uy} ${by - 5 * ux}Z`;
    return s("g", { class: look }, s("line", { x1, y1, x2: bx, y2: by }), s("path", { class: "head", d: head }));
  }

  private drawGrid(): void {
    const { x0, x1, y0, y1 } = this.frame;
    const parts: SVGElement[] = [];
    for (const a of ticks(x0, x1, 5)) {
      parts.push(this.segment([a, y0], [a, y1], a === 0 ? "axis" : ""));
      const room = this.px(a) > 22 && this.px(a) < SIZE - 14 - 8 * this.axes[0].length;
      if (room) parts.push(this.text([a, y0], number(a, 4), "", 0, -6));
    }
    for (const b of ticks(y0, y1, 5)) {
      parts.push(this.segment([x0, b], [x1, b], b === 0 ? "axis" : ""));
      if (this.py(b) > 30 && this.py(b) < SIZE - 22) parts.push(this.text([x0, b], number(b, 4), "", 5, -4, "start"));
    }
    parts.push(this.text([x1, y0], this.axes[0], "name", -7, -6, "end"));
    parts.push(this.text([x0, y1], this.axes[1], "name", 7, 16, "start"));
    this.grid.replaceChildren(...parts);
  }
}

/** The frame as a polygon. */
export function corners({ x0, x1, y0, y1 }: Frame): Point[] {
  return [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ];
}

/** The part of a polygon with w1·a + w2·b + c ≥ 0. */
export function cut(polygon: Point[], [w1, w2, c]: Straight): Point[] {
  const side = ([a, b]: Point): number => w1 * a + w2 * b + c;
  return polygon.flatMap((from, k) => {
    const to = polygon[(k + 1) % polygon.length];
    const [f, t] = [side(from), side(to)];
    const kept: Point[] = f >= 0 ? [from] : [];
    if (f >= 0 === t >= 0) return kept;
    const at = f / (f - t);
    return [...kept, [from[0] + at * (to[0] - from[0]), from[1] + at * (to[1] - from[1])] as Point];
  });
}
