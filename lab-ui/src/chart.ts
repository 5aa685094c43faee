/** A small line chart in SVG, in the page's colours, with a cursor at the correction that is shown. */
import { become, h, number, s, superscript, ticks, whole } from "./dom";

export interface Series {
  label: string;
  look: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  bars?: boolean;
}

export interface Plot {
  series: Series[];
  x: Scale & { label: string };
  y: Scale;
  /** A vertical line with words. */
  limit?: { x: number; label: string };
  summary: string;
}

const PAUSE = 100; // milliseconds: a chart beyond the screen waits until nothing changes any more
const RIGHT = 12,
  TOP = 10,
  TEXT = 11.5; // pixels, the usual size of the words

export class Chart {
  readonly element: HTMLElement;
  private readonly svg = s("svg", { class: "chart", role: "img" });
  private readonly lines = s("g");
  private readonly cursor = s("g", { class: "cursor" });
  private readonly legend = h("ul", { class: "legend" });
  private plot: Plot | null = null;
  private drawn: Plot | null = null; // the plot that is on the page
  private seen = true; // whether any of it is on the screen
  private later: ReturnType<typeof setTimeout> | undefined;
  private width = 340;
  private large = 1; // how large the words are, against their usual size
  private last: { x: number; y: number } | null = null;

  constructor(
    title: string,
    private readonly scrub: ((x: number) => void) | null = null,
    private readonly height = 190,
  ) {
    this.element = h("figure", { class: "chart-box" }, h("figcaption", {}, title), this.svg, this.legend);
    this.svg.append(this.lines, this.cursor);
    new ResizeObserver(() => {
      const width = this.element.clientWidth;
      if (width < 40 || width === this.width) return;
      this.width = width;
      this.large = parseFloat(getComputedStyle(this.svg).fontSize) / TEXT || 1;
      if (this.plot) this.drawNow(this.plot);
    }).observe(this.element);
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.seen = isIntersecting;
      if (this.seen && this.plot && this.plot !== this.drawn) this.draw(this.plot);
    }).observe(this.element);
    const point = (event: PointerEvent): void => {
      if (!this.plot || !this.scrub || (event.type === "pointermove" && event.buttons === 0)) return;
      const box = this.svg.getBoundingClientRect();
      const part = (event.clientX - box.left - this.left) / (this.width - this.left - RIGHT);
      const { from, to, log } = this.plot.x;
      const along = Math.min(1, Math.max(0, part));
      this.scrub(log ? from * (to / from) ** along : from + along * (to - from));
    };
    this.svg.addEventListener("pointerdown", point);
    this.svg.addEventListener("pointermove", point);
  }

  /** Room for the words beside the axes. */
  private get left(): number {
    return 44 * this.large;
  }

  private get bottom(): number {
    return 34 * this.large;
  }

  draw(plot: Plot): void {
    this.plot = plot;
    clearTimeout(this.later);
    if (this.seen) this.drawNow(plot);
    else this.later = setTimeout(() => this.drawNow(plot), PAUSE);
  }

  private drawNow(plot: Plot): void {
    this.drawn = plot;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute("height", String(this.height));
    this.svg.setAttribute("aria-label", plot.summary);
    const lines = plot.series.map((one) => s("path", { class: `series ${one.look}`, d: this.path(one), ...this.broad(one) }));
    become(this.lines, [...this.axes(plot), ...this.limit(plot), ...lines]);
    const swatch = (): HTMLElement => h("span", { class: "swatch", "aria-hidden": "true" });
    become(this.legend, plot.series.map((one) => h("li", { class: one.look }, swatch(), one.label)));
    if (this.last) this.point(this.last.x, this.last.y);
  }

  /** Bars leave a third of the room between them. */
  private broad({ bars }: Series): Record<string, string> {
    const { from, to } = this.plot!.x;
    const room = (this.width - this.left - RIGHT) / (to - from || 1);
    return bars ? { "stroke-width": Math.min(32, Math.max(1.5, room * 0.66)).toFixed(1) } : {};
  }

  private axes(plot: Plot): SVGElement[] {
    const parts: SVGElement[] = [];
    for (const value of marks(plot.y, 4)) {
      const y = this.py(value);
      parts.push(s("line", { class: "rule", x1: this.left, x2: this.width - RIGHT, y1: y, y2: y }));
      parts.push(s("text", { x: this.left - 6, y: y + 4, "text-anchor": "end" }, short(value)));
    }
    for (const value of marks(plot.x, this.width / 70)) {
      const x = this.px(value);
      const text = short(value);
      if (x + 3.5 * text.length * this.large > this.width) continue; // it would be cut
      parts.push(s("text", { x, y: this.height - 0.58 * this.bottom, "text-anchor": "middle" }, text));
    }
    const name = { class: "axis-name", x: this.width - RIGHT, y: this.height - 4, "text-anchor": "end" };
    return [...parts, s("text", name, plot.x.label)];
  }

  private limit({ limit }: Plot): SVGElement[] {
    if (!limit) return [];
    const x = this.px(limit.x);
    const left = x > this.width / 2;
    const place = { x: x + (left ? -5 : 5), y: this.height - this.bottom - 6, "text-anchor": left ? "end" : "start" };
    return [
      s("line", { class: "limit", x1: x, x2: x, y1: TOP, y2: this.height - this.bottom }),
      s("text", { class: "limit-name", ...place }, limit.label),
    ];
  }

  /** Put the cursor on (x, y). */
  point(x: number, y: number): void {
    this.last = { x, y };
    if (!this.plot || this.plot !== this.drawn) return;
    const cx = this.px(Math.max(x, this.plot.x.from)),
      cy = Number.isFinite(y) && (y > 0 || !this.plot.y.log) ? this.py(y) : null; // 0 has no logarithm
    const place = { cx, cy: Math.min(this.height - this.bottom, Math.max(TOP, cy ?? 0)), r: 4 };
    const line = s("line", { x1: cx, x2: cx, y1: TOP, y2: this.height - this.bottom });
    become(this.cursor, cy === null ? [line] : [line, s("circle", place)]);
  }

  private path(series: Series): string {
    const parts: string[] = [];
    let pen = "M";
    for (let i = 0; i < series.x.length; i++) {
      const x = series.x[i],
        y = series.y[i];
      if (!Number.isFinite(y) || (this.plot!.x.log && x <= 0) || (this.plot!.y.log && y <= 0)) {
        pen = "M";
        continue;
      }
      const top = Math.min(this.height - this.bottom + 1, Math.max(TOP - 4, this.py(y)));
      if (series.bars) {
        parts.push(`M${this.px(x).toFixed(1)} ${this.height - this.bottom}V${top.toFixed(1)}`);
        continue;
      }
      parts.push(`${pen}${this.px(x).toFixed(1)} ${top.toFixed(1)}`);
      pen = "L";
    }
    return parts.join("");
  }

  private px(x: number): number {
    return this.left + along(x, this.plot!.x) * (this.width - this.left - RIGHT);
  }

  private py(y: number): number {
    return this.height - this.bottom - along(y, this.plot!.y) * (this.height - this.bottom - TOP);
  }
}

interface Scale {
  from: number;
  to: number;
  log: boolean;
  /** Only whole numbers make sense. */
  whole?: boolean;
}

function along(value: number, { from, to, log }: Scale): number {
  if (log) return Math.log(Math.max(value, from * 1e-3) / from) / Math.log(to / from || 10);
  return (value - from) / (to - from || 1);
}

function marks({ from, to, log, whole }: Scale, wanted: number): number[] {
  if (!log) return ticks(from, to, wanted).filter((value) => !whole || Number.isInteger(value));
  const first = Math.ceil(Math.log10(from) - 1e-9),
    last = Math.floor(Math.log10(to) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / wanted));
  const found: number[] = [];
  for (let e = first; e <= last; e += every) found.push(10 ** e);
  return found.length > 1 ? found : ticks(from, to, wanted);
}

function short(value: number): string {
  if (!Number.isInteger(value)) return number(value, 2);
  const power = Math.round(Math.log10(Math.abs(value) || 1));
  if (power >= 4 && 10 ** power === value) return `10${superscript(power)}`;
  return Math.abs(value) < 1e5 ? whole(value) : number(value, 2);
}
