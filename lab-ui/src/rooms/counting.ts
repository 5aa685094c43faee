/** The room of counting: Cover's theorem, as a curve and on points of one's own. */
import { Chart } from "../chart";
import { straight } from "../contour";
import { h, number, s, typeset, whole } from "../dom";
import { count, labelings, lineFor, probability, regime, type Labeling } from "./cover";
import { alike, within, type RoomState } from "./roomstate";
import { card, Choice, facts, layout, saying, Slider, type Room, type RoomPage } from "./parts";
import { lineOf, PointPlane } from "./points";
import { ofLabelings, ofPosition } from "./words";

const MOST = 12; // points
const LISTED = 6; // points up to which all labelings are shown
const GRID = 0.25;
const HALF = 2; // of the plane that is seen
const LECTURE =
  "A labeling says of each point whether it is +1 or −1. Of the 2ᴾ labelings of P points in general position, " +
  "N weights realise C(P,\u00a0N) = 2·[binom(P\u00a0−\u00a01,\u00a00) + … + binom(P\u00a0−\u00a01,\u00a0N\u00a0−\u00a01)]. A line has N\u00a0=\u00a03: two weights and a " +
  "threshold.";

/** Points to begin with. */
const SETS: Record<string, [number, number][]> = {
  "Four points": [
    [-1, -0.75],
    [1, -0.75],
    [0, 1],
    [0, -0.25],
  ],
  "A square": [
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
  ],
  "Six points": [
    [-1.25, -0.75],
    [0.25, -1.25],
    [1.25, -0.5],
    [1, 1],
    [-0.5, 1.25],
    [0, 0.25],
  ],
  "On a line": [
    [-1.5, -0.75],
    [-0.5, -0.25],
    [0.5, 0.25],
    [1.5, 0.75],
  ],
  "A grid": [-1, 0, 1].flatMap((a) => [-1, 0, 1].map((b): [number, number] => [a, b])),
};

export const COUNTING: Room = { key: "counting", name: "Counting", make: (chosen) => new Counting(chosen) };

class Counting implements RoomPage {
  readonly element: HTMLElement;
  private set = "Six points";
  private P = 1;
  private N = 3;
  private snap = true;
  private readonly sets = new Choice("Points", Object.keys(SETS), (set) => this.choose(set));
  private readonly points = new PointPlane({
    least: 1,
    most: MOST,
    grid: () => (this.snap ? GRID : 0),
    changed: () => this.draw(),
    fit: () => this.fit(),
  });
  private readonly gridBox = h("input", { type: "checkbox" });
  private readonly said = saying();
  private readonly position = h("p", { class: "muted" });
  private readonly gallery = h("div", { class: "gallery", role: "group", "aria-label": "All labelings of the points" });
  private readonly galleryWords = h("p", { class: "muted" });
  private counted = 0; // points when the curve followed them last
  private listed = ""; // the points whose labelings are shown
  private readonly chart = new Chart("Part of all labelings that is separable", (P) =>
    this.curve({ P: Math.round(P) }),
  );
  private readonly curveFacts = h("div");
  private readonly sliders = {
    N: new Slider({ label: "weights N", min: 1, max: 50, step: 1 }, (N) => this.curve({ N })),
    P: new Slider({ label: "points P", min: 1, max: 200, step: 1 }, (P) => this.curve({ P })),
  };

  constructor(private readonly chosen: (show: string) => void) {
    this.gallery.addEventListener("keydown", (event) => this.key(event));
    this.gridBox.checked = this.snap;
    this.gridBox.addEventListener("change", () => (this.snap = this.gridBox.checked));
    const onGrid = h("label", { class: "check" }, this.gridBox, h("span", {}, "Keep points on a grid"));
    this.element = layout({
      title: "Counting",
      words: LECTURE,
      stage: [
        this.sets.element,
        this.said,
        this.points.plane.element,
        h("div", { class: "tools" }, ...this.points.tools, onGrid),
        this.position,
      ],
      side: [
        card("Cover’s curve", this.sliders.N.element, this.sliders.P.element, this.chart.element, this.curveFacts),
      ],
      under: [card("All labelings", this.galleryWords, this.gallery)],
    });
    this.choose(this.set, false);
  }

  open(show: string): void {
    if (Object.hasOwn(SETS, show)) this.choose(show, false);
  }

  shown(): string {
    return this.set;
  }

  state(): RoomState {
    return { set: this.set, snap: this.snap, P: this.P, N: this.N, points: this.points.state() };
  }

  put(state: unknown): void {
    const like = { set: this.set, snap: this.snap, P: this.P, N: this.N, points: this.points.state() };
    if (!alike(state, like) || !Object.hasOwn(SETS, state.set) || !this.points.allows(state.points)) return;
    this.set = state.set;
    this.sets.show(state.set);
    this.snap = this.gridBox.checked = state.snap;
    const { xs, ys, labels } = state.points;
    this.points.set(xs, ys, labels);
    this.counted = labels.length; // the curve stays where it was put
    this.fit();
    this.curve({ P: within(Math.round(state.P), [1, 200]), N: within(Math.round(state.N), [1, 50]) });
  }

  private choose(set: string, told = true): void {
    this.set = set;
    this.sets.show(set);
    const places = SETS[set];
    const labels = places.map((_, i) => (i === 0 ? -1 : 1));
    this.points.set(places.map(([a]) => a), places.map(([, b]) => b), labels);
    if (told) this.chosen(set);
    this.fit();
  }

  private fit(): void {
    this.points.plane.fit([-HALF, HALF], [-HALF * 0.7, HALF * 0.7], true);
    this.draw();
  }

  // ---------------------------------------------------------------------------------------------------- given points

  private draw(): void {
    const places = this.points.places();
    const line = lineFor(places, this.points.labels);
    const nobody = places.map(() => false);
    this.points.draw(line ? lineOf("", "new", line) : [], nobody);
    this.said.textContent = ofLabelings(places, this.points.labels);
    this.position.textContent = ofPosition(places);
    this.list(places);
    if (places.length !== this.counted) this.curve({ P: places.length, N: 3 });
    this.counted = places.length;
  }

  /** The labelings, each a small picture; made again only where the points are others. */
  private list(places: [number, number][]): void {
    const key = places.join(";");
    if (key !== this.listed) this.makeList(places);
    this.listed = key;
    for (const one of this.pictures()) {
      const shown = one.dataset["labels"] === this.points.labels.join();
      one.setAttribute("aria-pressed", String(shown));
      one.tabIndex = shown ? 0 : -1; // Tab comes to the one shown, arrow keys go on from there
    }
  }

  private pictures(): HTMLButtonElement[] {
    return [...this.gallery.querySelectorAll("button")];
  }

  private key(event: KeyboardEvent): void {
    const pictures = this.pictures();
    const at = pictures.indexOf(event.target as HTMLButtonElement);
    const ways: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: pictures.length - 1,
    };
    const next = pictures[ways[event.key]];
    if (!next) return;
    event.preventDefault();
    next.click();
    next.focus();
  }

  private makeList(places: [number, number][]): void {
    if (places.length > LISTED) {
      this.galleryWords.textContent = `All labelings are shown for up to ${LISTED} points.`;
      return this.gallery.replaceChildren();
    }
    const all = labelings(places).sort((a, b) => Number(a.line === null) - Number(b.line === null));
    const linear = all.filter(({ line }) => line).length;
    const both = `First the ${linear} that a line separates, then the ${all.length - linear} that no line separates.`;
    this.galleryWords.textContent = `${both} Choose one to see it large.`;
    this.gallery.replaceChildren(...all.map((one) => this.picture(places, one)));
  }

  private picture(places: [number, number][], { labels, line }: Labeling): HTMLElement {
    const box = { x0: -HALF, x1: HALF, y0: -HALF, y1: HALF };
    const px = (a: number): number => 30 + (a / HALF) * 26;
    const py = (b: number): number => 30 - (b / HALF) * 26;
    const dots = places.map(([a, b], i) =>
      labels[i] > 0
        ? s("circle", { class: "mini positive", cx: px(a), cy: py(b), r: 3.6 })
        : s("rect", { class: "mini negative", x: px(a) - 3, y: py(b) - 3, width: 6, height: 6 }),
    );
    const cuts = line ? straight(line[0], line[1], line[2], box) : [];
    const lines = cuts.map(([a, b, c, d]) => {
      return s("line", { class: "mini-line", x1: px(a), y1: py(b), x2: px(c), y2: py(d) });
    });
    const words = `${labels.map((v) => (v > 0 ? "+" : "−")).join("")}, ${line ? "linear" : "not linear"}`;
    const drawing = s("svg", { viewBox: "0 0 60 60", "aria-hidden": "true" }, ...lines, ...dots);
    const show = (): void => {
      this.points.labels = [...labels];
      this.draw();
    };
    const names = { class: line ? "mini-box" : "mini-box not", "aria-label": words, "data-labels": labels.join() };
    return h("button", { type: "button", ...names, click: show }, drawing);
  }

  // --------------------------------------------------------------------------------------------------- the theorem

  private curve(part: { P?: number; N?: number }): void {
    Object.assign(this, part);
    const { P, N } = this;
    this.sliders.N.place(N);
    this.sliders.P.place(P);
    const last = Math.min(200, Math.max(8, 4 * N, P));
    const xs = Array.from({ length: last }, (_, k) => k + 1);
    const share = probability(P, N);
    this.chart.draw({
      series: [
        { label: "C(P, N)/2ᴾ", look: "norm", x: xs, y: xs.map((one) => probability(one, N)) },
        { label: "P = N", look: "lower", x: [N, N], y: [0, 1] },
      ],
      x: { from: 1, to: last, log: false, whole: true, label: "points P" },
      y: { from: 0, to: 1.05, log: false },
      limit: { x: 2 * N, label: "P = 2N" },
      summary: `The part of all labelings that is separable with ${N} weights, for 1 to ${last} points.`,
    });
    this.chart.point(P, share);
    const words = h("p", { class: "saying", role: "status" }, typeset(regime(P, N)));
    const numbers = { "C(P, N)": whole(Number(count(P, N))), "2ᴾ": whole(2 ** P), part: number(share, 4) };
    this.curveFacts.replaceChildren(words, facts(numbers));
  }
}
