/** The room of losses: what a mistake costs, and the landscape that a learner walks on. */
import { Chart } from "../chart";
import { curved, straight } from "../contour";
import { h, number, s, whole } from "../dom";
import { LOSSES, loss, mistakes, path, pull, total } from "./descent";
import type { Loss, Mode, Rows, Weights } from "./descent";
import { betting, type Experiment } from "./bets";
import { alike, within, type RoomState } from "./roomstate";
import { card, Choice, controls, layout, powers, saying, Slider, table, type Room, type RoomPage } from "./parts";
import { Stage, type Point } from "./stage";
import { ofWalk } from "./words";

const FRAME = { x0: -3, x1: 3, y0: -3, y1: 3 };
const MODES: Mode[] = ["one at a time", "all at once"];
const STEPS = 120;
const LEVELS = [0.003, 0.02, 0.05, 0.1, 0.17, 0.26, 0.37, 0.5, 0.65, 0.82]; // from the lowest to the highest place
const LECTURE =
  "A loss says what an example costs as a function of y·s, its label times the response: the perceptron’s counts " +
  "only what is wrong, the squared loss also what is right by too much. E(w) is their sum. All at once, a small step " +
  "goes downhill on it; one at a time, a step is downhill for its own example and may climb on E.";

const HINT =
  "Drag the start, or tap where the walk should begin. There is no threshold here: two weights are all.";

const SETS: Record<string, [number, number, number][]> = {
  Separable: [
    [1, 0.5, 1],
    [0.5, 1.25, 1],
    [1.5, 1.5, 1],
    [-0.5, 0.75, -1],
    [-1, -0.25, -1],
    [-0.25, -1.25, -1],
  ],
  Overlapping: [
    [1, 0.5, 1],
    [0.25, 1.25, 1],
    [-0.75, -0.5, 1],
    [-1, 0.5, -1],
    [-0.5, -1.25, -1],
    [0.75, 1, -1],
  ],
};

export const LOSSES_ROOM: Room = { key: "losses", name: "Losses", make: (chosen) => new Losses(chosen) };

/** What can be chosen. */
interface Walk {
  kind: Loss;
  mode: Mode;
  set: string;
  eta: number;
  start: Weights;
  k: number;
}

class Losses implements RoomPage {
  readonly element: HTMLElement;
  private kind: Loss = "perceptron";
  private mode: Mode = MODES[0];
  private set = "Separable";
  private eta = 0.2;
  private start: Weights = [-2, 1.5];
  private k = STEPS;
  private ys = -1;
  private readonly kinds = new Choice("Loss", LOSSES, (kind) => this.change({ kind: kind as Loss }, true));
  private readonly sets = new Choice("Points", Object.keys(SETS), (set) => this.change({ set }));
  private readonly modes = new Choice("Examples", MODES, (mode) => this.change({ mode: mode as Mode }));
  private readonly begin = (a: number, b: number): void => this.change({ start: [a, b] });
  private readonly landscape = new Stage("E over the weights, and the path", FRAME, ["w1", "w2"], this.begin);
  private readonly grip = this.landscape.handle("start", { move: this.begin });
  private readonly points = new Stage("The points, and the line of w", { x0: -2, x1: 2, y0: -2, y1: 2 }, ["x1", "x2"]);
  private readonly chart = new Chart("The loss of one example", (ys) => this.look(ys));
  private readonly sliders = {
    ys: new Slider({ label: "y·s", min: -3, max: 3, step: 0.05 }, (ys) => this.look(ys)),
    eta: new Slider(powers("step η", -2, 0.6), (eta) => this.change({ eta })),
    k: new Slider({ label: "steps", min: 0, max: STEPS, step: 1, text: whole }, (k) => this.change({ k })),
  };
  private readonly rows = h("div", { class: "scroll" });
  private readonly said = saying();
  private contours: { of: string; lines: SVGElement[] } = { of: "", lines: [] };

  constructor(private readonly chosen: (show: string) => void) {
    const box = (title: string, stage: Stage): HTMLElement =>
      h("figure", { class: "stage-box" }, h("figcaption", {}, title), stage.element);
    this.element = layout({
      title: "Losses",
      words: LECTURE,
      stage: [
        this.kinds.element,
        this.said,
        controls(this.sliders.eta.element, this.sliders.k.element),
        h(
          "div",
          { class: "stages" },
          box("E(w): each curve has one height", this.landscape),
          box("The points and the line of w", this.points),
        ),
        h("p", { class: "hint" }, HINT),
        card("True or false? Bet, and see", betting((experiment) => this.see(experiment))),
      ],
      side: [
        card("The walk", this.sets.element, this.modes.element),
        card("One example", this.chart.element, this.sliders.ys.element, this.rows),
      ],
    });
    this.placeSliders();
    this.look(this.ys);
    this.change({});
  }

  open(show: string): void {
    if (LOSSES.includes(show as Loss)) this.change({ kind: show as Loss });
  }

  shown(): string {
    return this.kind;
  }

  state(): RoomState {
    const { kind, mode, set, eta, start, k, ys } = this;
    return { kind, mode, set, eta, start, k, ys };
  }

  put(state: unknown): void {
    const { kind, mode, set, eta, start, k, ys } = this;
    if (!alike(state, { kind, mode, set, eta, start, k, ys }) || state.start.length !== 2) return;
    if (!LOSSES.includes(state.kind) || !MODES.includes(state.mode) || !Object.hasOwn(SETS, state.set)) return;
    const [a, b] = this.landscape.inside([state.start[0], state.start[1]]);
    const sound = { eta: within(state.eta, [0.01, 4]), k: within(Math.round(state.k), [0, STEPS]) };
    this.change({ kind: state.kind, mode: state.mode, set: state.set, start: [a, b], ...sound });
    this.placeSliders();
    this.look(within(state.ys, [-3, 3]));
  }

  /** An experiment of a bet, from the usual start to the last step. */
  private see(experiment: Experiment): void {
    this.change({ ...experiment, start: [-2, 1.5], k: STEPS }, true);
    this.placeSliders();
    this.element.scrollIntoView({ block: "nearest" });
  }

  private placeSliders(): void {
    this.sliders.eta.place(Math.log10(this.eta));
    this.sliders.k.place(this.k);
  }

  private change(part: Partial<Walk>, told = false): void {
    Object.assign(this, part);
    if (told) this.chosen(this.kind);
    this.kinds.show(this.kind);
    this.sets.show(this.set);
    this.modes.show(this.mode);
    this.draw();
  }

  private get z(): Rows {
    return SETS[this.set].map(([a, b, y]): Weights => [y * a, y * b]);
  }

  // -------------------------------------------------------------------------------------------------------- the walk

  private draw(): void {
    const { kind, start, k, z } = this;
    const walk = path(kind, this.mode, z, this.eta, start, k);
    const w = walk[walk.length - 1];
    const where = `Start of the walk at ${number(start[0])}, ${number(start[1])}`;
    this.grip.place([start[0], start[1]], `${where}; drag, or use the arrow keys`);
    this.landscape.draw(this.heights(), this.drawWalk(walk));
    this.drawPoints(w);
    this.say(walk, w);
  }

  private say(walk: Weights[], w: Weights): void {
    const { kind, z } = this;
    this.said.textContent = ofWalk(kind, z, walk);
    this.said.classList.toggle("done", mistakes(z, w) === 0);
    this.said.classList.toggle("warns", !(total(kind, z, w) <= total(kind, z, walk[0])));
  }

  /** Curves of equal height, made again only where the landscape is another. */
  private heights(): SVGElement[] {
    const { kind, z } = this;
    const of = `${kind} ${this.set}`;
    if (this.contours.of === of) return this.contours.lines;
    const height = (a: number, b: number): number => total(kind, z, [a, b]);
    const sample = Array.from({ length: 31 * 31 }, (_, i) => {
      return height(-3 + 0.2 * (i % 31), -3 + 0.2 * Math.floor(i / 31));
    });
    const [low, high] = [Math.min(...sample), Math.max(...sample)];
    const lines = LEVELS.map((part, k) => {
      const level = low + part * (high - low);
      const d = curved((a, b) => height(a, b) - level, FRAME, 120)
        .map(([a, b, c, e]) => `M${this.at(a, b)}L${this.at(c, e)}`)
        .join("");
      return s("path", { class: "height", d, "stroke-opacity": (0.95 - (0.7 * k) / LEVELS.length).toFixed(2) });
    });
    this.contours = { of, lines };
    return lines;
  }

  private at(a: number, b: number): string {
    return `${this.landscape.px(a).toFixed(1)} ${this.landscape.py(b).toFixed(1)}`;
  }

  private drawWalk(walk: Weights[]): SVGElement[] {
    const near = walk.filter((w) => w.every((v) => Math.abs(v) < 1e4));
    const line = s("path", { class: "walk", d: `M${near.map(([a, b]) => this.at(a, b)).join("L")}` });
    const dots = near.map(([a, b], k) => {
      const at = { cx: this.landscape.px(a), cy: this.landscape.py(b) };
      const [look, r] = k === walk.length - 1 ? ["walker", 6] : ["footprint", 2];
      return s("circle", { class: look, ...at, r });
    });
    return [line, ...dots];
  }

  private drawPoints(w: Weights): void {
    const stage = this.points;
    const marks = SETS[this.set].map(([a, b, y]) => {
      const wrong = !(y * (w[0] * a + w[1] * b) > 0);
      const look = `corner ${y > 0 ? "positive" : "negative"}${wrong ? " wrong" : ""}`;
      const at = { x: stage.px(a) - 6, y: stage.py(b) - 6 };
      return s("rect", { class: look, ...at, width: 12, height: 12, rx: y > 0 ? 6 : 0 });
    });
    const length = Math.hypot(...w);
    const tip: Point = length > 0 ? [(0.8 * w[0]) / length, (0.8 * w[1]) / length] : [0, 0];
    const lines = straight(w[0], w[1], 0, stage.frame).map(([a, b, c, d]) => stage.segment([a, b], [c, d], "line one"));
    stage.draw([], [...lines, stage.arrow([0, 0], tip, "pointer one"), ...marks]);
  }

  // ----------------------------------------------------------------------------------------------------- one example

  private look(ys: number): void {
    this.ys = ys;
    this.sliders.ys.place(ys);
    const xs = Array.from({ length: 121 }, (_, k) => -3 + k / 20);
    const looks = ["norm", "upper", "lower"];
    const shown = LOSSES.map((kind) => xs.filter((one) => loss(kind, one) <= 4)); // beyond the frame there is no curve
    this.chart.draw({
      series: LOSSES.map((kind, i) => ({
        label: kind,
        look: looks[i],
        x: shown[i],
        y: shown[i].map((one) => loss(kind, one)),
      })),
      x: { from: -3, to: 3, log: false, label: "y·s: wrong side left of 0" },
      y: { from: 0, to: 4, log: false },
      limit: { x: 0, label: "" },
      summary: "The perceptron, squared and logistic loss of one example, over its y·s from −3 to 3.",
    });
    this.chart.point(ys, NaN);
    const rows = LOSSES.map((kind) => [kind, number(loss(kind, ys)), number(pull(kind, ys))]);
    this.rows.replaceChildren(table(`Losses at y·s = ${number(ys)}`, ["kind", "loss", "pull on w"], rows));
  }
}
