/** The plane: points that can be added, moved and removed by mouse, touch or keys, and the lines that separate them. */
import { conic, type Conic, type Stroke } from "./conic";
import type { Frame } from "./contour";
import { become, h, number, s, say, ticks } from "./dom";
import { valueOf } from "./features";
import { drawn, type Mixtures } from "./proofpanel";

const MANY = 500; // points from which on they are painted instead of being elements
let made = 0;
const TINT = 96; // cells of the coloured ground, each way

export interface Line {
  name: string;
  /** "old", "new", "best", "edge", or "rival" and its number. */
  look: string;
  /** The response whose zero is drawn. */
  conic: Conic;
}

export interface Scene {
  xs: ArrayLike<number>;
  ys: ArrayLike<number>;
  y: ArrayLike<number>;
  /** Which mark a point of the rest has. */
  kind?: (i: number) => number;
  wrong: ArrayLike<number>;
  lines: Line[];
  corrected: number | null;
  /** The vector added to the weights by this correction, from the origin. */
  added: [number, number] | null;
  witness: { rows: number[]; point: [number, number] } | null;
  /** Rows with a circle about them. */
  marked: number[];
  /** Places where the chosen point would leave no line; and a proof's mixtures. */
  shadow?: readonly (readonly [number, number])[] | null;
  mixtures?: Mixtures | null;
  axes: [string, string];
  label: (i: number) => string;
  movable: boolean;
}

export interface Actions {
  add(a: number, b: number, other: boolean): void;
  move(i: number, a: number, b: number, done: boolean): void;
  remove(i: number): void;
  flip(i: number): void;
  select(i: number | null): void;
  key(event: KeyboardEvent): void;
}

/** How a point of each class is painted. */
interface Stamps {
  r: number;
  positive: HTMLCanvasElement;
  negative: HTMLCanvasElement[];
}

/** Points that were painted, and where. */
interface Layer {
  key: string;
  stamps: Stamps;
  canvas: HTMLCanvasElement;
  scene: Pick<Scene, "xs" | "ys" | "y">;
}

interface Place {
  x: number;
  y: number;
}

type Label = Place & { anchor: string };

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A point as it was drawn: where on the screen, where on the plane, and its look in bits. */
interface Drawn {
  look: number;
  x: number;
  y: number;
  a: number;
  b: number;
}

export class Plane {
  readonly element: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly dots: HTMLCanvasElement;
  frame: Frame = { x0: -1, x1: 1, y0: -1, y1: 1 };
  selected: number | null = null;
  /** The one point that can be moved; −1 for none, null for all. */
  handle: number | null = null;
  private readonly id = ++made; // several labs may share a document
  private width = 600;
  private height = 600;
  private scene: Scene | null = null;
  private readonly tint = h("canvas", { class: "tint", width: TINT, height: TINT, "aria-hidden": "true" });
  private readonly grid = s("g", { class: "grid", "aria-hidden": "true" });
  private readonly ticks = s("g", { class: "ticks", "aria-hidden": "true" }); // above the lines, which would hide them
  private readonly lines = s("g", { class: "lines", "aria-hidden": "true" });
  private readonly marks = s("g", {
    class: "marks",
    role: "listbox",
    "aria-label": "Points",
    "aria-orientation": "horizontal",
  });
  private readonly over = s("g", { class: "over", "aria-hidden": "true" });
  private readonly hand = s("path", { class: "hand", d: HAND, visibility: "hidden", "aria-hidden": "true" });
  private readonly title = s("title"); // names the point under the mouse
  private elements: SVGPathElement[] = [];
  // what is drawn already, so that only what has changed is drawn again
  private drawnGrid = "";
  private names: Box[] = []; // where words are already
  private drawnTint = "";
  private drawnPoints: Drawn[] = [];
  private painted = false; // whether points are on the canvas
  private layer: Layer | null = null;
  private stamps: Stamps | null = null;
  private readonly washes = new Map<string, number>();
  // the place on the screen, looked up only where a gesture begins: it makes the browser lay out the page
  private box = { left: 0, top: 0 };
  private drag: { i: number | null; id: number; x: number; y: number; moved: boolean; dx: number; dy: number } | null =
    null;

  constructor(
    private readonly actions: Actions,
    private readonly resized: () => void,
  ) {
    this.svg = s("svg", { class: "drawing", role: "group", "aria-label": "The plane of points" });
    this.dots = h("canvas", { class: "dots", "aria-hidden": "true" });
    this.svg.append(
      this.title,
      s("defs", {}, this.arrowhead("tip"), this.arrowhead("tip-old"), this.arrowhead("tip-added")),
      this.grid,
      this.lines,
      this.ticks,
      this.marks,
      this.over,
      this.hand,
    );
    this.element = h("div", { class: "plane" }, this.tint, this.dots, this.svg);
    this.listen();
    new ResizeObserver(() => this.measure()).observe(this.element);
  }

  private measure(): void {
    const { width, height } = this.element.getBoundingClientRect();
    if (width < 10 || height < 10 || (width === this.width && height === this.height)) return;
    this.width = width;
    this.height = height;
    const scale = window.devicePixelRatio || 1;
    this.dots.width = width * scale;
    this.dots.height = height * scale;
    this.stamps = null;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.element.style.setProperty("--ratio", `${width} / ${height}`); // on paper nothing is stretched
    this.resized();
  }

  /** Choose the part of the plane that shows these points, with one scale for both axes where that is sensible. */
  fit(xs: ArrayLike<number>, ys: ArrayLike<number>, oneScale: boolean): void {
    const ends = (values: ArrayLike<number>): [number, number] => {
      let low = Infinity,
        high = -Infinity;
      for (let i = 0; i < values.length; i++) {
        low = Math.min(low, values[i]);
        high = Math.max(high, values[i]);
      }
      if (!(low <= high)) return [-1, 1];
      const room = (high - low || Math.abs(high) || 1) * 0.16;
      return [low - room, high + room];
    };
    let [x0, x1] = ends(xs),
      [y0, y1] = ends(ys);
    const perX = (x1 - x0) / this.width,
      perY = (y1 - y0) / this.height;
    if (oneScale && Math.max(perX, perY) < 6 * Math.min(perX, perY)) {
      const unit = Math.max(perX, perY);
      [x0, x1] = [(x0 + x1 - unit * this.width) / 2, (x0 + x1 + unit * this.width) / 2];
      [y0, y1] = [(y0 + y1 - unit * this.height) / 2, (y0 + y1 + unit * this.height) / 2];
    }
    this.frame = { x0, x1, y0, y1 };
  }

  get stretched(): boolean {
    const { x0, x1, y0, y1 } = this.frame;
    const ratio = (x1 - x0) / this.width / ((y1 - y0) / this.height);
    return ratio > 1.01 || ratio < 0.99;
  }

  get size(): [number, number] {
    return [this.width, this.height];
  }

  private px(a: number): number {
    return ((a - this.frame.x0) / (this.frame.x1 - this.frame.x0)) * this.width;
  }

  private py(b: number): number {
    return ((this.frame.y1 - b) / (this.frame.y1 - this.frame.y0)) * this.height;
  }

  private value(x: number, y: number): [number, number] {
    const { x0, x1, y0, y1 } = this.frame;
    return [x0 + (x / this.width) * (x1 - x0), y1 - (y / this.height) * (y1 - y0)];
  }

  // ------------------------------------------------------------------------------------------------------- drawing

  draw(scene: Scene): void {
    const first = this.scene === null || this.scene.axes.join() !== scene.axes.join();
    this.scene = scene;
    if (first) this.svg.classList.toggle("fixed", !scene.movable);
    this.drawGrid(scene.axes);
    this.drawTint(scene.lines.find((line) => line.look === "new") ?? null);
    this.names = [];
    become(this.lines, scene.lines.flatMap((line) => this.drawLine(line)));
    if (scene.xs.length > MANY) this.paintPoints(scene);
    else this.placePoints(scene);
    this.drawOver(scene);
  }

  private drawGrid(axes: [string, string]): void {
    const { x0, x1, y0, y1 } = this.frame;
    const drawn = [x0, x1, y0, y1, this.width, this.height, ...axes].join();
    if (drawn === this.drawnGrid) return;
    this.drawnGrid = drawn;
    const parts: SVGElement[] = [],
      words: SVGElement[] = [];
    const [across, up] = axes.map((name) => shortened(name, this.width - 16));
    for (const a of ticks(x0, x1, this.width / 90)) {
      const x = this.px(a);
      parts.push(s("line", { x1: x, x2: x, y1: 0, y2: this.height, class: a === 0 ? "axis" : "" }));
      const text = number(a, 4);
      const half = (LETTER * text.length) / 2;
      if (x > half + 6 && x < this.width - half - 12 - LETTER * across.length)
        words.push(s("text", { x, y: this.height - 6, "text-anchor": "middle" }, text));
    }
    for (const b of ticks(y0, y1, this.height / 90)) {
      const y = this.py(b);
      parts.push(s("line", { x1: 0, x2: this.width, y1: y, y2: y, class: b === 0 ? "axis" : "" }));
      if (y > 38 && y < this.height - 24) words.push(s("text", { x: 5, y: y - 4 }, number(b, 4)));
    }
    words.push(s("text", { class: "name", x: this.width - 8, y: this.height - 6, "text-anchor": "end" }, across));
    words.push(s("text", { class: "name", x: 8, y: 18 }, up));
    this.grid.replaceChildren(...parts);
    this.ticks.replaceChildren(...words);
  }

  /** The sides of the current line, in the colours of the classes. */
  private drawTint(line: Line | null): void {
    const drawn = line ? [...line.conic, this.drawnGrid].join() : "";
    if (drawn !== "" && drawn === this.drawnTint) return;
    this.drawnTint = drawn;
    const context = this.tint.getContext("2d")!;
    context.clearRect(0, 0, TINT, TINT);
    if (!line) return;
    const f = valueOf(line.conic);
    const image = context.createImageData(TINT, TINT);
    const cells = new Uint32Array(image.data.buffer);
    const [positive, negative] = [this.wash("--positive"), this.wash("--negative")];
    const { x0, x1, y0, y1 } = this.frame;
    for (let r = 0; r < TINT; r++) {
      const b = y1 - ((r + 0.5) / TINT) * (y1 - y0);
      for (let c = 0; c < TINT; c++) {
        const value = f(x0 + ((c + 0.5) / TINT) * (x1 - x0), b);
        cells[r * TINT + c] = value > 0 ? positive : value < 0 ? negative : 0;
      }
    }
    context.putImageData(image, 0, 0);
  }

  /** A colour of the page, nearly transparent, as the four bytes of a pixel. */
  private wash(name: string): number {
    const known = this.washes.get(name);
    if (known !== undefined) return known;
    const text = getComputedStyle(this.element).getPropertyValue(name).trim();
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
    const wash = ((20 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    this.washes.set(name, wash);
    return wash;
  }

  /** A hand that takes a point, as the pointer of a mouse would; null for none. */
  showHand(at: [number, number] | null): void {
    set(this.hand, "visibility", at ? "visible" : "hidden");
    if (at) set(this.hand, "transform", `translate(${this.px(at[0]).toFixed(1)} ${this.py(at[1]).toFixed(1)})`);
  }

  /** Other points, or other colours: nothing that was drawn counts any more. */
  forget(): void {
    this.washes.clear();
    this.stamps = null;
    this.drawnPoints = [];
    this.drawnGrid = this.drawnTint = "";
  }

  private drawLine(line: Line): SVGElement[] {
    const strokes = conic(line.conic, this.frame);
    if (strokes.length === 0 || !strokes.flat(2).every(Number.isFinite)) return [];
    const parts: SVGElement[] = [s("path", { d: strokes.map((one) => this.path(one)).join(""), class: `line ${line.look}` })];
    if (line.look === "new" || line.look === "old") {
      const normal = this.normal(line, strokes);
      if (normal) parts.push(normal);
    }
    if (line.look === "best" || line.look.startsWith("rival")) parts.push(this.nameOf(line, strokes));
    return parts;
  }

  private path(stroke: Stroke): string {
    return stroke.map(([a, b], k) => `${k ? "L" : "M"}${this.px(a).toFixed(2)} ${this.py(b).toFixed(2)}`).join("");
  }

  /** The normal vector, on the middle of the line, towards the positive side. */
  private normal(line: Line, strokes: Stroke[]): SVGElement | null {
    const longest = strokes.reduce((best, one) => (one.length > best.length ? one : best));
    const at = Math.floor((longest.length - 1) / 2);
    const [[a, b], [c, e]] = [longest[at], longest[at + 1]];
    const x = this.px((a + c) / 2),
      y = this.py((b + e) / 2);
    let dx = this.py(e) - this.py(b),
      dy = this.px(a) - this.px(c);
    const length = Math.hypot(dx, dy);
    if (length === 0) return null;
    dx *= 34 / length;
    dy *= 34 / length;
    const f = valueOf(line.conic);
    if (f(...this.value(x + dx, y + dy)) < f(...this.value(x - dx, y - dy))) [dx, dy] = [-dx, -dy];
    const [left, right] = [x, x + dx].sort((p, q) => p - q),
      [top, bottom] = [y, y + dy].sort((p, q) => p - q);
    this.names.push({ left, right, top, bottom }); // names keep off the arrow
    return s("line", {
      class: `normal ${line.look}`,
      x1: x,
      y1: y,
      x2: x + dx,
      y2: y + dy,
      "marker-end": this.tip(line.look === "new" ? "tip" : "tip-old"),
    });
  }

  /** A line's name beside the line, near its upper right end, where it covers no point and no other name. */
  private nameOf(line: Line, strokes: Stroke[]): SVGElement {
    const seen = strokes.flat().map(([a, b]): Place => ({ x: this.px(a), y: this.py(b) }));
    const away = ({ x, y }: Place): number => Math.hypot(this.width - x, y);
    const along = spread(seen).sort((p, q) => away(p) - away(q));
    const offers = along.flatMap(({ x, y }) => [
      { x: x - 8, y: y + 16, anchor: "end" },
      { x: x + 8, y: y - 8, anchor: "start" },
      { x: x - 8, y: y - 8, anchor: "end" },
      { x: x + 8, y: y + 16, anchor: "start" },
    ]);
    return this.label(line.name, `line-name ${line.look}`, offers);
  }

  /** Words at the first place that is free, or where they cover least. */
  private label(words: string, look: string, offers: Label[]): SVGElement {
    const width = LETTER * words.length;
    const box = ({ x, y, anchor }: Label): Box => {
      const left = anchor === "end" ? x - width : x;
      return { left: left - 4, right: left + width + 4, top: y - 14, bottom: y + 5 };
    };
    let best = offers[0],
      least = Infinity;
    for (const one of offers) {
      const covered = this.covered(box(one));
      if (covered < least) [best, least] = [one, covered];
      if (least === 0) break;
    }
    this.names.push(box(best));
    const { x, y, anchor } = best;
    return s("text", { class: look, x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor }, words);
  }

  /** How many points and names a box covers; a box that is not wholly seen covers too much. */
  private covered({ left, right, top, bottom }: Box): number {
    if (left < 4 || right > this.width - 4 || top < 22 || bottom > this.height - 20) return 1e6;
    const { xs, ys } = this.scene!;
    let found = 100 * this.names.filter((o) => left < o.right && o.left < right && top < o.bottom && o.top < bottom).length;
    for (let i = 0; i < Math.min(xs.length, MANY); i++) {
      const x = this.px(xs[i]),
        y = this.py(ys[i]);
      if (x > left - 8 && x < right + 8 && y > top - 8 && y < bottom + 8) found++;
    }
    return found;
  }

  private placePoints(scene: Scene): void {
    const n = scene.xs.length;
    if (this.painted) this.dots.getContext("2d")!.clearRect(0, 0, this.dots.width, this.dots.height);
    this.painted = false;
    while (this.elements.length > n) this.elements.pop()!.remove();
    while (this.elements.length < n) {
      const element = s("path", { role: "option" });
      this.elements.push(element);
      this.marks.append(element);
    }
    this.drawnPoints.length = n;
    for (let i = 0; i < n; i++) this.placePoint(scene, i);
    set(this.svg, "tabindex", n === 0 ? "0" : "-1");
    // a screen reader would announce a list that has no options
    if (n === 0) this.marks.removeAttribute("role");
    else set(this.marks, "role", "listbox");
  }

  /** Numbers are compared before anything is written: most points stay where they are while one moves. */
  private placePoint(scene: Scene, i: number): void {
    const plus = scene.y[i] > 0,
      wrong = scene.wrong[i] > 0,
      chosen = i === this.selected,
      stop = i === (this.selected ?? Math.max(0, this.handle ?? 0));
    const [a, b] = [scene.xs[i], scene.ys[i]];
    const [x, y] = [this.px(a), this.py(b)];
    const kind = (!plus && scene.kind?.(i)) || 0;
    const look = (plus ? 1 : 0) + (wrong ? 2 : 0) + (chosen ? 4 : 0) + (stop ? 8 : 0) + 16 * kind;
    const old = this.drawnPoints[i];
    if (old && old.look === look && old.x === x && old.y === y && old.a === a && old.b === b) return;
    this.drawnPoints[i] = { look, x, y, a, b };
    const element = this.elements[i];
    const words = ["dot", plus ? "positive" : "negative", wrong && "wrong", chosen && "selected"];
    set(element, "class", words.filter(Boolean).join(" "));
    set(element, "d", plus ? DISC : OPEN[kind]);
    set(element, "transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
    set(element, "tabindex", stop ? "0" : "-1");
    set(element, "aria-selected", String(chosen));
    set(element, "aria-label", scene.label(i));
  }

  private paintPoints(scene: Scene): void {
    if (this.elements.length) {
      this.drawnPoints = [];
      this.marks.replaceChildren();
      this.marks.removeAttribute("role");
      this.elements = [];
    }
    set(this.svg, "tabindex", "0");
    this.painted = true;
    const context = this.dots.getContext("2d")!;
    const scale = this.dots.width / this.width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const r = scene.xs.length > 3000 ? 1.8 : 2.8;
    if (this.stamps?.r !== r) this.stamps = this.stampsOf(r, scale);
    const { stamps } = this;
    const half = stamps.positive.width / scale / 2;
    const put = (onto: CanvasRenderingContext2D, i: number): void => {
      const one = scene.y[i] > 0 ? stamps.positive : stamps.negative[scene.kind?.(i) ?? 0];
      onto.drawImage(one, this.px(scene.xs[i]) - half, this.py(scene.ys[i]) - half, 2 * half, 2 * half);
    };
    const key = [this.drawnGrid, scene.xs.length, this.selected].join();
    if (key !== this.layer?.key || stamps !== this.layer.stamps || !this.others(scene)) this.layer = { ...this.layerOf(scene, scale, put), key, stamps };
    context.drawImage(this.layer.canvas, 0, 0, this.width, this.height);
    if (this.selected !== null && this.selected < scene.xs.length) put(context, this.selected);
  }

  /** A mark for each class, in the colours of the page: looked up once, for that makes the browser work out styles. */
  private stampsOf(r: number, scale: number): Stamps {
    const style = getComputedStyle(this.element);
    const [positive, negative] = ["--positive", "--negative"].map((name) => style.getPropertyValue(name));
    const open = OPEN.map((path) => stamp(r, scale, negative, path, "stroke"));
    return { r, positive: stamp(r, scale, positive, DISC, "fill"), negative: open };
  }

  /** Whether all points but the chosen one are where they were painted. */
  private others({ xs, ys, y }: Scene): boolean {
    const { scene } = this.layer!;
    for (let i = 0; i < xs.length; i++) {
      const same = xs[i] === scene.xs[i] && ys[i] === scene.ys[i] && y[i] === scene.y[i];
      if (!same && i !== this.selected) return false;
    }
    return true;
  }

  /** All points but the chosen one, painted once: while it moves the others stay. */
  private layerOf(scene: Scene, scale: number, put: (onto: CanvasRenderingContext2D, i: number) => void): Pick<Layer, "canvas" | "scene"> {
    const canvas = h("canvas", { width: this.dots.width, height: this.dots.height });
    const context = canvas.getContext("2d")!;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    for (let i = 0; i < scene.xs.length; i++) if (i !== this.selected) put(context, i);
    return { canvas, scene: { xs: Float64Array.from(scene.xs), ys: Float64Array.from(scene.ys), y: Int8Array.from(scene.y) } };
  }

  private drawOver(scene: Scene): void {
    const parts: SVGElement[] = [];
    const at = (i: number): [number, number] => [this.px(scene.xs[i]), this.py(scene.ys[i])];
    if (scene.shadow && scene.shadow.length > 1) {
      const corners = scene.shadow.map(([a, b]) => `${this.px(a).toFixed(1)},${this.py(b).toFixed(1)}`);
      parts.push(s("polygon", { class: "shadow", points: corners.join(" ") }));
    }
    if (scene.mixtures) parts.push(...drawn(scene.mixtures, ([a, b]) => [this.px(a), this.py(b)]));
    if (scene.added) {
      const [x, y] = scene.added;
      const from = { x1: this.px(0), y1: this.py(0) },
        to = { x2: this.px(x), y2: this.py(y) };
      if (Math.hypot(to.x2 - from.x1, to.y2 - from.y1) > 8)
        parts.push(s("line", { class: "added", ...from, ...to, "marker-end": this.tip("tip-added") }));
    }
    if (scene.corrected !== null && scene.corrected < scene.xs.length) {
      const [cx, cy] = at(scene.corrected);
      parts.push(s("circle", { class: "ring", cx, cy, r: 13 }));
    }
    if (this.handle !== null && this.handle >= 0 && this.handle < scene.xs.length) {
      const [cx, cy] = at(this.handle);
      parts.push(s("circle", { class: "handle-ring", cx, cy, r: 14 }));
    }
    for (const i of scene.marked) {
      const [cx, cy] = at(i);
      parts.push(s("circle", { class: "marked", cx, cy, r: 10 }));
    }
    if (this.selected !== null && scene.xs.length > MANY && this.selected < scene.xs.length) {
      const [cx, cy] = at(this.selected);
      parts.push(s("circle", { class: "chosen", cx, cy, r: 9 }));
    }
    if (scene.witness) {
      const [mx, my] = [this.px(scene.witness.point[0]), this.py(scene.witness.point[1])];
      for (const i of scene.witness.rows) {
        const [x, y] = at(i);
        parts.push(
          s("line", { class: `witness ${scene.y[i] > 0 ? "positive" : "negative"}`, x1: x, y1: y, x2: mx, y2: my }),
        );
        parts.push(s("circle", { class: "witness-row", cx: x, cy: y, r: 10 }));
      }
      const diamond = s("path", { class: "meeting", d: "M0-9L9 0L0 9L-9 0Z" });
      parts.push(s("g", { transform: `translate(${mx} ${my})` }, diamond));
      const around = [-12, 22, -30, 40, -60, 70].flatMap((dy) => [
        { x: mx + 14, y: my + dy, anchor: "start" },
        { x: mx - 14, y: my + dy, anchor: "end" },
      ]);
      parts.push(this.label("the hulls meet here", "meeting-name", around));
    }
    become(this.over, parts);
  }

  private tip(kind: string): string {
    return `url(#${kind}-${this.id})`;
  }

  private arrowhead(kind: string): SVGElement {
    const shape = {
      viewBox: "0 0 10 10",
      refX: 8,
      refY: 5,
      markerWidth: 7,
      markerHeight: 7,
      orient: "auto-start-reverse",
    };
    return s("marker", { id: `${kind}-${this.id}`, class: kind, ...shape }, s("path", { d: "M0 0L10 5L0 10Z" }));
  }

  // ------------------------------------------------------------------------------------------- mouse, touch and keys

  focusPoint(i: number): void {
    (this.elements[i] ?? this.svg).focus();
  }

  private nearest(x: number, y: number, reach: number): number | null {
    const scene = this.scene;
    if (!scene) return null;
    let best: number | null = null,
      distance = reach;
    for (let i = 0; i < scene.xs.length; i++) {
      if (this.handle !== null && this.handle !== i) continue;
      const away = Math.hypot(this.px(scene.xs[i]) - x, this.py(scene.ys[i]) - y);
      if (away < distance) [best, distance] = [i, away];
    }
    return best;
  }

  private listen(): void {
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("pointermove", (event) => this.follow(event));
    this.svg.addEventListener("pointerup", (event) => this.drop(event));
    this.svg.addEventListener("pointercancel", (event) => this.drop(event));
    // a finger on a point moves the point; anywhere else it scrolls the page
    this.svg.addEventListener(
      "touchstart",
      (event) => {
        this.box = this.element.getBoundingClientRect();
        const touch = event.touches[0];
        const near = this.nearest(...this.inside(touch), REACH.touch) !== null;
        if (event.touches.length === 1 && near) event.preventDefault();
      },
      { passive: false },
    );
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.marks.addEventListener("focusin", (event) => {
      const i = this.elements.indexOf(event.target as SVGPathElement);
      if (i >= 0 && i !== this.selected) this.actions.select(i);
    });
  }

  /** Where on the plane a pointer is, in pixels. */
  private inside({ clientX, clientY }: { clientX: number; clientY: number }): [number, number] {
    return [clientX - this.box.left, clientY - this.box.top];
  }

  private grab(event: PointerEvent): void {
    if (event.button !== 0 || this.drag) return;
    this.box = this.element.getBoundingClientRect();
    const [x, y] = this.inside(event);
    const i = this.nearest(x, y, event.pointerType === "touch" ? REACH.touch : REACH.mouse);
    const at: [number, number] = i === null ? [x, y] : [this.px(this.scene!.xs[i]), this.py(this.scene!.ys[i])];
    this.drag = { i, id: event.pointerId, x, y, moved: false, dx: at[0] - x, dy: at[1] - y };
    if (i === null) return;
    this.svg.setPointerCapture(event.pointerId);
    this.actions.select(i);
    this.focusPoint(i);
    event.preventDefault();
  }

  private follow(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag) this.box = this.element.getBoundingClientRect();
    const [x, y] = this.inside(event);
    if (!drag) {
      const i = this.nearest(x, y, REACH.mouse);
      this.svg.classList.toggle("over-point", i !== null);
      say(this.title, i === null ? "" : this.scene!.label(i));
      return;
    }
    if (drag.id !== event.pointerId || (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < 4)) return;
    drag.moved = true;
    if (drag.i !== null && this.scene?.movable) this.moveTo(drag.i, x + drag.dx, y + drag.dy, false);
  }

  private drop(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag || drag.id !== event.pointerId) return;
    this.drag = null;
    const [x, y] = this.inside(event);
    const movable = this.scene?.movable;
    if (drag.i !== null && drag.moved && movable) this.moveTo(drag.i, x + drag.dx, y + drag.dy, true);
    if (drag.i !== null || drag.moved || event.type !== "pointerup") return;
    if (this.handle !== null) return;
    if (movable) this.actions.add(...this.value(x, y), event.shiftKey);
    else this.actions.select(null);
  }

  private moveTo(i: number, x: number, y: number, done: boolean): void {
    this.actions.move(i, ...this.value(clamp(x, this.width), clamp(y, this.height)), done);
  }

  private press(event: KeyboardEvent): void {
    const scene = this.scene;
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.handle !== null && !(event.key in ARROWS && this.selected === this.handle)) return;
    const n = scene.xs.length,
      i = this.selected;
    const go = (to: number): void => {
      this.actions.select(to);
      this.focusPoint(to);
    };
    const moves = ARROWS;
    if (n > 0 && (event.key === "PageDown" || event.key === "PageUp"))
      go(((i ?? -1) + (event.key === "PageDown" ? 1 : n - 1) + n) % n);
    else if (n > 0 && event.key === "Home") go(0);
    else if (n > 0 && event.key === "End") go(n - 1);
    else if (i !== null && i < n && moves[event.key] && scene.movable) {
      const [width, height] = [this.frame.x1 - this.frame.x0, this.frame.y1 - this.frame.y0];
      const [ux, uy] = this.stretched ? [width, height] : [Math.min(width, height), Math.min(width, height)];
      const part = event.shiftKey ? 0.1 : 0.01;
      const [a, b] = [scene.xs[i] + moves[event.key][0] * part * ux, scene.ys[i] + moves[event.key][1] * part * uy];
      this.actions.move(i, a, b, true);
    } else if (i !== null && i < n && (event.key === "Delete" || event.key === "Backspace")) this.actions.remove(i);
    else if (i !== null && i < n && event.key.toLowerCase() === "c") this.actions.flip(i);
    else {
      this.actions.key(event);
      return;
    }
    event.preventDefault();
  }
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};
const REACH = { mouse: 15, touch: 26 }; // pixels from a point that are still on it
const DISC = "M6.5 0A6.5 6.5 0 1 1-6.5 0A6.5 6.5 0 1 1 6.5 0Z";
/** The marks of the rest's classes. */
const OPEN = ["M-5.5-5.5H5.5V5.5H-5.5Z", "M0-7.5L7 5.5H-7Z", "M0-8L7-0L0 8L-7 0Z", "M0 7.5L7-5.5H-7Z"];

const HAND =
  "M0 0C2-1 3 0 3.5 1.5L6 8.5L6.5 3.5C7 1.5 10 1.5 10 4L10.3 9L12 5C13 3.5 15.5 4.5 15 6.5L14.5 10L16.5 7.5C18 6 20 7.5 " +
  "19 9.5L14.5 20C13 23.5 8 25 4.5 22L-3.5 14C-5 12-3 9.5-1 11L1.5 13L-2 3C-2.5 1.5-1.5.5 0 0Z";
const LETTER = 7.5; // pixels of a letter, about

/** A small picture of a point: thousands are painted much faster with it than as one path. */
function stamp(r: number, scale: number, colour: string, path: string, how: "fill" | "stroke"): HTMLCanvasElement {
  const size = Math.ceil(2 * (r + 2) * scale);
  const canvas = h("canvas", { width: size, height: size });
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  context.translate(size / scale / 2, size / scale / 2);
  context.globalAlpha = 0.85;
  context.fillStyle = context.strokeStyle = colour;
  context.scale(r / 6, r / 6);
  context.lineWidth = 6.6 / r;
  context[how](new Path2D(path));
  return canvas;
}

/** Places along a line, its ends and eleven between where it is one straight piece. */
function spread(seen: Place[]): Place[] {
  if (seen.length > 2) return seen.filter((_, k) => k % Math.ceil(seen.length / 24) === 0);
  const [from, to] = seen;
  return Array.from({ length: 13 }, (_, k) => ({ x: from.x + ((to.x - from.x) * k) / 12, y: from.y + ((to.y - from.y) * k) / 12 }));
}

/** A name that would be cut at the edge ends in dots instead. */
function shortened(name: string, width: number): string {
  const most = Math.floor(width / LETTER);
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

function clamp(value: number, most: number): number {
  return Math.min(most - 6, Math.max(6, value));
}

function set(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
