/**
 * The weight space, turned about the axis of w* until w(k) lies in the picture: how far w is along w*, and how far away from it.
 * Lengths and the angle to w* are true, in any number of dimensions.
 */
import { number, s } from "../dom";
import type { Course, Moment } from "./course";
import { Stage, type Point } from "./stage";

const DRAWN = 500; // places of the path
const FOOTPRINTS = 40; // steps up to which each is marked

export class WeightSpace {
  private readonly stage = new Stage("Weight space", { x0: 0, x1: 1, y0: 0, y1: 1 }, ["along w*", "away from w*"]);
  readonly element = this.stage.element;

  draw(course: Course, m: Moment): void {
    const { stage } = this;
    if (!course.star) {
      stage.draw([], []);
      return;
    }
    this.look(course, m);
    const { x1, y0, y1 } = stage.frame;
    const lines: SVGElement[] = [
      term("star", stage.arrow([0, 0], [x1, 0], "pointer out"), stage.text([x1, 0], "w*", "line-name out", -12, -8, "end")),
      this.circle(m.most),
    ];
    if (m.least !== null && m.least <= x1) {
      const right = m.least > (stage.frame.x0 + x1) / 2;
      const words = stage.text([m.least, y1], "at least", "line-name lower", right ? -6 : 6, 34, right ? "end" : "start");
      lines.push(term("least", stage.segment([m.least, y0], [m.least, y1], "bound-line lower"), words));
    }
    lines.push(...this.path(course, Math.min(m.k, course.made)));
    if (m.length !== null && m.along !== null && m.length > 0) lines.push(...this.arrow(m.along, course.off[m.k], m.length));
    stage.draw(m.least === null ? [] : this.allowed(m.least, m.most), lines);
    this.element.setAttribute("aria-label", told(m));
  }

  /** The circle fills the picture, whatever its size. */
  private look({ along, made }: Course, { most, k }: Moment): void {
    const walked = Math.min(k, made);
    const reach = Math.max(most, 1e-9);
    let least = -0.12 * reach;
    for (let i = 0; i <= walked; i += Math.max(1, Math.floor(walked / DRAWN))) least = Math.min(least, 1.05 * along[i]);
    const unit = 1.1 * reach - least;
    this.stage.look({ x0: least, x1: least + unit, y0: -0.1 * reach, y1: unit - 0.1 * reach });
  }

  private circle(most: number): SVGElement {
    const { stage } = this;
    const [cx, cy, r] = [stage.px(0), stage.py(0), stage.px(most) - stage.px(0)];
    const at: Point = [most * Math.cos(1.05), most * Math.sin(1.05)];
    return term("most", s("circle", { class: "bound-line upper", cx, cy, r }), stage.text(at, "at most", "line-name upper", 4, -6, "start"));
  }

  /** Where w(k) can be: beyond the line and within the circle. */
  private allowed(least: number, most: number): SVGElement[] {
    if (least >= most) return [];
    const widest = Math.acos(Math.max(-1, least / most));
    const arc = Array.from({ length: 41 }, (_, i): Point => {
      const turn = (widest * i) / 40;
      return [most * Math.cos(turn), most * Math.sin(turn)];
    });
    return [this.stage.polygon([[Math.max(least, -most), 0], ...arc], "allowed")];
  }

  private path({ along, off }: Course, k: number): SVGElement[] {
    const { stage } = this;
    const stride = Math.max(1, Math.ceil(k / DRAWN));
    const places: Point[] = [];
    for (let i = 0; i < k; i += stride) places.push([along[i], off[i]]);
    places.push([along[k], off[k]]);
    const seen = places.map(([a, b]) => `${stage.px(a).toFixed(1)} ${stage.py(b).toFixed(1)}`);
    const parts = [s("path", { class: "walk", d: `M${seen.join("L")}` })];
    if (k <= FOOTPRINTS) {
      parts.push(...places.map(([a, b]) => s("circle", { class: "footprint", cx: stage.px(a), cy: stage.py(b), r: 2.5 })));
    }
    const last = k > 0 ? [term("step", stage.arrow([along[k - 1], off[k - 1]], [along[k], off[k]], "pointer two"))] : [];
    return [term("walk", ...parts), ...last];
  }

  /** w(k) itself: its length, its part along w*, and the angle between. */
  private arrow(along: number, off: number, length: number): SVGElement[] {
    const { stage } = this;
    const w: Point = [along, off];
    const turn = Math.atan2(off, along);
    const small = 0.3 * length;
    const arc = Array.from({ length: 13 }, (_, i): Point => [small * Math.cos((turn * i) / 12), small * Math.sin((turn * i) / 12)]);
    const bend = arc.map(([a, b]) => `${stage.px(a).toFixed(1)} ${stage.py(b).toFixed(1)}`).join("L");
    const beside: Point = [1.45 * small * Math.cos(turn / 2), 1.45 * small * Math.sin(turn / 2)];
    return [
      term("along", stage.segment(w, [along, 0], "fall"), stage.segment([0, 0], [along, 0], "reach-along")),
      term("angle", s("path", { class: "bend", d: `M${bend}` }), stage.text(beside, "β", "line-name one", 0, 4)),
      term("length", stage.arrow([0, 0], w, "pointer one"), stage.text(w, "w", "line-name one", 10, -8)),
    ];
  }
}

function told({ k, along, length, least, most }: Moment): string {
  const is = along === null || length === null ? "" : `: w is ${number(along)} along w*, and ${number(length)} long`;
  const must = least === null ? "" : `; it must be at least ${number(least)} along w*`;
  return `Weight space after ${k} corrections${is}${must}, and at most ${number(most)} long`;
}

/** A part of the picture that lights up with its term of the proof. */
function term(name: string, ...parts: SVGElement[]): SVGElement {
  return s("g", { "data-term": name }, ...parts);
}
