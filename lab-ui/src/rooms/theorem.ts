/** The room of the convergence theorem: points, weight space and curves of one run, and the proof that it ends. */
import { button, count, h, icon, number, superscript, whole } from "../dom";
import { Chart } from "../chart";
import { TheoremCharts } from "../theorem";
import type { Points } from "../types";
import { Course, type Choices, type Moment } from "./course";
import { alike, within, type RoomState } from "./roomstate";
import { card, Choice, controls, facts, layout, powers, saying, Slider, type Room, type RoomPage, type Visitor } from "./parts";
import { lineOf, PointPlane } from "./points";
import { PROOFS, provable, type Step, type Term } from "./proofs";
import { CLIMBED, climb, decided, leastCorrections, STEPS } from "./staircase";
import { WeightSpace } from "./weightspace";
import { ofCourse, ofStaircase } from "./words";

const LECTURE =
  "Why does it stop? Each correction takes w further along w*, and w cannot grow fast enough to get so far. " +
  "Drag a point: all numbers are of these points.";
const MINE = "My points";
const SIX: Triple[] = [[2, 1, 1], [3, 3, 1], [1, 2, 1], [0, 0, -1], [0, 1, -1], [1, 0, -1]];
/** x1, x2 and the class. */
type Triple = [number, number, number];
const SETS: Record<string, Triple[]> = {
  [MINE]: SIX, // where there are none
  "Six points": SIX,
  Narrow: [[-2, 1, -1], [-1, 0.25, -1], [0, -0.25, -1], [1.5, -1.5, -1], [-1.5, 1.5, 1], [0, 0.25, 1], [1, -0.5, 1], [2, 0.5, 1]],
  XOR: [[0, 0, -1], [1, 1, -1], [0, 1, 1], [1, 0, 1]],
};
const ORDERS: Record<string, Choices["order"]> = { "in turn": "cyclic", shuffled: "shuffled", drawn: "random" };
const STARTS: Record<string, Choices["start"]> = { "w = 0": "zeros", "random w": "random" };
const ETA: [number, number] = [-2, 2]; // as powers of ten
const MOST = 200; // points
const FEW = 300; // corrections up to which the slider stops at each
const STOPS = 120; // of the slider, beyond
const TRAVEL = 1200; // milliseconds
/** The terms of the inequality, in its order. */
const CHAIN: [Term, string][] = [
  ["least", "w*·w(0) + kηγ"],
  ["along", "w*·w(k)"],
  ["length", "‖w(k)‖"],
  ["most", "√(‖w(0)‖² + kη²R²)"],
];

export const THEOREM: Room = { key: "theorem", name: "Theorem", make: (chosen, visitor) => new TheoremRoom(chosen, visitor) };

class TheoremRoom implements RoomPage {
  readonly element: HTMLElement;
  private set = MINE;
  private choices: Choices = { start: "zeros", eta: 1, order: "cyclic", seed: 0 };
  private proof = Object.keys(PROOFS)[0];
  private at = 0; // of the proof's steps
  private k = 0;
  private course!: Course;
  private stops: number[] = [0];
  private span = [-1, 1, -1, 1]; // of the points when they came: those that were moved since are seen with them
  private taken = ""; // the visitor's points, as they were when they came
  private going = 0; // counts journeys: a new one ends the one before
  private ready = false;
  private readonly sets = new Choice("Points", Object.keys(SETS), (set) => this.choose(set));
  private readonly starts = new Choice("Start", Object.keys(STARTS), (name) => this.change({ start: STARTS[name] }));
  private readonly orders = new Choice("Order", Object.keys(ORDERS), (name) => this.change({ order: ORDERS[name] }));
  private readonly again = button("Draw again", "Draw again", () => this.change({ seed: (this.choices.seed + 1) % 2 ** 32 }));
  private readonly eta = new Slider(powers("step η", ...ETA), (eta) => this.change({ eta }));
  private readonly said = saying();
  private readonly points = new PointPlane({
    least: 1,
    most: MOST,
    grid: () => 0,
    changed: () => this.compute(),
    fit: () => this.fit(),
  });
  private readonly space = new WeightSpace();
  private readonly charts = new TheoremCharts((k) => this.stop(k), within(innerHeight / 2 - 258, [124, 230]));
  private readonly play = button("Play", icon("M4 2L14 8L4 14Z"), () => this.run());
  private readonly slider = h("input", { type: "range", min: 0, max: 1, value: 0, "aria-label": "Corrections k" });
  private readonly counter = h("output", { class: "counter" });
  private readonly cells = new Map<Term, HTMLElement>();
  private readonly chain = h("div", { class: "chain", role: "group", "aria-label": "The inequality at k" });
  private readonly proofs = new Choice("Proof", Object.keys(PROOFS), (proof) => this.step(0, proof));
  private readonly marks = h("div", { class: "proof-steps", role: "group", "aria-label": "Steps of the proof" });
  private readonly formula = h("p", { class: "rule" });
  private readonly caption = h("p", { class: "caption", "aria-live": "polite" });
  private readonly next = h("button", { type: "button", class: "primary", click: () => this.step(this.at + 1) }, "Next");
  private readonly back = h("button", { type: "button", click: () => this.step(this.at - 1) }, "Back");

  constructor(
    private readonly chosen: (show: string) => void,
    private readonly visitor: Visitor,
  ) {
    this.slider.addEventListener("input", () => this.stop(this.stops[Number(this.slider.value)]));
    this.element = layout({
      title: "Theorem",
      words: LECTURE,
      stage: [
        h("div", { class: "switches" }, this.sets.element, this.starts.element, this.orders.element, this.again, this.eta.element),
        this.said,
        h("div", { class: "pictures" }, this.points.plane.element, this.space.element, this.charts.curves),
        h("div", { class: "scrub" }, this.play, this.slider, this.counter),
        this.proofCard(),
        this.inequality(),
      ],
      side: [],
      under: [new Stairs().element],
    });
    this.element.classList.add("theorem");
    this.choose(MINE, false);
  }

  entered(): void {
    const mine = this.visitor.points();
    const now = mine ? JSON.stringify([[...mine.X], [...mine.y]]) : "";
    if (this.set === MINE && now !== this.taken) this.choose(MINE, false);
  }

  open(show: string): void {
    if (Object.hasOwn(SETS, show)) this.choose(show, false);
  }

  shown(): string {
    return this.set;
  }

  state(): RoomState {
    const { set, choices, proof, at, k, span } = this;
    return { set, choices: { ...choices }, proof, at, k, span, points: this.points.state() };
  }

  put(state: unknown): void {
    const like = { set: "", choices: { start: "", eta: 1, order: "", seed: 0 }, proof: "", at: 0, k: 0, span: [0], points: this.points.state() };
    if (!alike(state, like) || !Object.hasOwn(SETS, state.set) || !Object.hasOwn(PROOFS, state.proof)) return;
    const { start, eta, order, seed } = state.choices as Choices;
    const known = Object.values(STARTS).includes(start) && Object.values(ORDERS).includes(order);
    if (!known || state.span.length !== 4 || !this.points.allows(state.points)) return;
    this.span = state.span;
    this.set = state.set;
    this.sets.show(this.set);
    const steps = within(eta, [10 ** ETA[0], 10 ** ETA[1]]);
    this.choices = { start, order, eta: steps, seed: within(Math.floor(seed), [0, 2 ** 32 - 1]) };
    this.proof = state.proof;
    this.at = within(Math.floor(state.at), [0, PROOFS[this.proof].length - 1]);
    const { xs, ys, labels } = state.points;
    this.points.set(xs, ys, labels);
    this.fit();
    this.go(state.k);
  }

  // ----------------------------------------------------------------------------------------------- what is on the page

  /** The four terms with their numbers; each is a button that lights it up everywhere. */
  private inequality(): HTMLElement {
    for (const [term, words] of CHAIN) {
      const value = h("output");
      const light = (): void => this.light([term]);
      const one = h("button", { type: "button", class: `link ${term}`, "data-term": term, click: light }, h("span", {}, words), value);
      if (this.cells.size > 0) this.chain.append(h("span", { class: "no-more" }, "≤"));
      this.cells.set(term, value);
      this.chain.append(one);
    }
    const cosine = h("output");
    this.cells.set("angle", cosine);
    const light = (): void => this.light(["angle"]);
    this.chain.append(h("button", { type: "button", class: "link angle", "data-term": "angle", click: light }, h("span", {}, "cos β"), cosine));
    return this.chain;
  }

  private proofCard(): HTMLElement {
    const moves = h("div", { class: "proof-moves" }, this.proofs.element, this.back, this.marks, this.next);
    const words = h("div", { class: "proof-words" }, this.formula, this.caption);
    return h("section", { class: "card proof", "aria-label": "The proof" }, moves, words);
  }

  private choose(set: string, told = true): void {
    this.set = set;
    this.sets.show(set);
    const mine = set === MINE ? this.visitor.points() : null;
    this.taken = mine ? JSON.stringify([[...mine.X], [...mine.y]]) : "";
    const rows = mine && mine.n <= MOST ? triples(mine) : SETS[set];
    this.points.set(rows.map(([a]) => a), rows.map(([, b]) => b), rows.map(([, , y]) => y));
    const { xs, ys } = this.points;
    this.span = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    if (told) this.chosen(set);
    this.k = Infinity;
    this.fit();
  }

  private fit(): void {
    this.points.plane.fit(this.span.slice(0, 2), this.span.slice(2), true);
    this.ready = true;
    this.compute();
  }

  private change(part: Partial<Choices>): void {
    this.choices = { ...this.choices, ...part };
    this.k = Infinity;
    this.compute();
  }

  /** Other points, or another run. Whoever looked at its end, or beyond, does so again. */
  private compute(): void {
    if (!this.ready) return;
    const atEnd = !this.course || this.k >= this.course.made;
    const beyond = this.course?.bound !== null && this.k > (this.course?.bound ?? Infinity) && Number.isFinite(this.k);
    this.course = new Course(this.points.points(), this.choices);
    const { made, bound, result } = this.course;
    this.stops = stopsTo(made, bound);
    this.slider.max = String(this.stops.length - 1);
    this.charts.draw(result);
    this.starts.show(nameOf(STARTS, this.choices.start));
    this.orders.show(nameOf(ORDERS, this.choices.order));
    this.eta.place(Math.log10(this.choices.eta));
    this.again.hidden = this.choices.start === "zeros" && this.choices.order === "cyclic";
    this.said.textContent = ofCourse(this.course);
    this.said.classList.toggle("warns", this.course.star === null);
    this.show(beyond ? this.stops[this.stops.length - 1] : atEnd ? made : Math.min(this.k, made));
    this.drawProof();
  }

  // --------------------------------------------------------------------------------------------------------- moments

  /** Somebody chose k. */
  private stop(k: number): void {
    this.going++;
    this.go(k);
  }

  private go(k: number): void {
    this.show(within(Math.round(k), [0, this.stops[this.stops.length - 1]]));
    this.drawProof();
  }

  private show(k: number): void {
    this.k = k;
    const { course, stops } = this;
    const m = course.at(k);
    const place = stops.findIndex((one) => one >= k);
    this.slider.value = String(place);
    this.slider.setAttribute("aria-valuetext", `correction ${whole(k)} of ${whole(m.made)}`);
    this.counter.textContent = `k = ${whole(k)}` + (k > m.made ? `, the run ended at ${whole(m.made)}` : ` of ${whole(m.made)}`);
    this.drawPlane(m);
    this.space.draw(course, m);
    if (k <= m.made) this.charts.point(course.result, k, course.w(k));
    else this.charts.beyond(k);
    this.drawChain(m);
  }

  private drawPlane({ k, made }: Moment): void {
    const { course } = this;
    const { points, result, star } = course;
    const w = course.w(k);
    const before = k > 0 && k <= made ? course.w(k - 1) : null;
    const lines = [...(before ? lineOf("", "old", before) : []), ...lineOf("", "new", w), ...(star ? lineOf("w*", "best", star) : [])];
    const wrong = this.points.labels.map((y, i) => !(y * (w[0] * points.X[2 * i] + w[1] * points.X[2 * i + 1] + w[2]) > 0));
    const corrected = k > 0 && k <= made ? result.rows[k - 1] : null;
    const sign = corrected === null ? 0 : points.y[corrected];
    const added: [number, number] | null =
      corrected === null ? null : [sign * points.X[2 * corrected], sign * points.X[2 * corrected + 1]];
    this.points.draw(lines, wrong, [], { corrected, added });
  }

  private drawChain(m: Moment): void {
    const values: [Term, number | null][] = [
      ["least", m.least],
      ["along", m.along],
      ["length", m.length],
      ["most", m.most],
      ["angle", m.along !== null && m.length ? m.along / m.length : null],
    ];
    for (const [term, value] of values) this.cells.get(term)!.textContent = value === null ? "–" : number(value, 4);
    const broken = m.least !== null && m.least > m.most;
    this.chain.classList.toggle("broken", broken);
  }

  /** To a moment, through those between; at once for whoever prefers less motion. */
  private travel(to: number, ms = TRAVEL): void {
    const mine = ++this.going;
    const { stops } = this;
    const [from, last] = [this.k, to].map((k) => stops.findIndex((one) => one >= k));
    if (from === last || matchMedia("(prefers-reduced-motion: reduce)").matches) return this.go(to);
    let began: number | null = null;
    const frame = (now: number): void => {
      if (mine !== this.going) return;
      const part = Math.min(1, (now - (began ??= now)) / ms);
      this.go(part === 1 ? to : stops[Math.round(from + part * (last - from))]);
      if (part < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** The run from its start. */
  private run(): void {
    if (this.k >= this.course.made) this.go(0);
    this.travel(this.course.made, 250 * Math.min(20, this.course.made));
  }

  // ------------------------------------------------------------------------------------------------------- the proof

  private step(at: number, proof = this.proof): void {
    this.proof = proof;
    this.at = within(at, [0, PROOFS[proof].length - 1]);
    const { made, bound } = this.course;
    const wanted = this.now.at;
    const moments = { step: Math.min(Math.max(1, this.k), made), end: made, crossing: bound === null ? made : bound + 1 };
    this.drawProof();
    this.travel(moments[wanted]);
  }

  private get now(): Step {
    return PROOFS[this.proof][this.at];
  }

  private drawProof(): void {
    const steps = PROOFS[this.proof];
    this.proofs.show(this.proof);
    const m = this.course.at(this.k);
    if (this.marks.childElementCount !== steps.length) {
      const mark = (_: Step, i: number): HTMLElement => button(`Step ${i + 1}`, String(i + 1), () => this.step(i));
      this.marks.replaceChildren(...steps.map(mark));
    }
    [...this.marks.children].forEach((one, i) => one.setAttribute("aria-pressed", String(i === this.at)));
    this.back.disabled = this.at === 0;
    this.next.disabled = this.at === steps.length - 1;
    this.formula.textContent = this.now.formula;
    const words = provable(m) ? this.now.words(m) : ofCourse(this.course);
    if (this.caption.textContent !== words) this.caption.textContent = words;
    this.light(this.now.terms);
  }

  private light(terms: Term[]): void {
    this.element.dataset["lit"] = terms.join(" ");
  }
}

/** The family on which the perceptron climbs by ones. */
class Stairs {
  readonly element: HTMLElement;
  private n = 8;
  private readonly chart = new Chart("Corrections of the perceptron", (n) => this.look(n), 150);
  private readonly size = new Slider({ label: "rows n", min: STEPS[0], max: STEPS[1], step: 1 }, (n) => this.look(n));
  private readonly numbers = h("div");
  private readonly said = h("p", { class: "small" });

  constructor() {
    const rows = "(1, 0, 0, …), (−1, 1, 0, …), (−1, −1, 1, …), …: all of one class, no intercept.";
    const words = `Rows ${rows} Each weight must be above the sum of those before it. The perceptron climbs there by ones; the verdict does not climb.`;
    this.element = card("Where the perceptron takes exponentially long", h("p", { class: "muted small" }, words), controls(this.size.element), h("div", { class: "stairs" }, this.chart.element, h("div", {}, this.numbers, this.said)));
    const n = Array.from({ length: STEPS[1] - 1 }, (_, i) => i + 2);
    const y = n.map((one) => Number(leastCorrections(one)));
    this.chart.draw({
      series: [{ label: "(4ⁿ − 1)/3", look: "norm", x: n, y }],
      x: { from: STEPS[0], to: STEPS[1], log: false, label: "rows n", whole: true },
      y: { from: 1, to: y[y.length - 1], log: true },
      summary: "At least (4ⁿ − 1)/3 corrections for n rows, on a logarithmic scale: a straight line.",
    });
    this.size.place(this.n);
    this.look(this.n);
  }

  private look(n: number): void {
    this.n = within(Math.round(n), STEPS);
    this.size.place(this.n);
    this.chart.point(this.n, Number(leastCorrections(this.n)));
    const [solved, decision] = timed(() => decided(this.n));
    const [made, running] = this.n <= CLIMBED ? timed(() => climb(this.n)) : [null, null];
    const most = whole(Number(leastCorrections(this.n)));
    this.numbers.replaceChildren(
      facts({
        perceptron: made === null ? `at least ${most} corrections` : `${count(made, "correction")} in ${milliseconds(running!)}`,
        verdict: `${solved ? "a hyperplane, proved" : "none"}, in ${milliseconds(decision)}`,
        "last weight": `${solved ? whole(Number(solved[this.n - 1])) : "–"}, at least 2${superscript(this.n - 1)}`,
      }),
    );
    this.said.textContent = ofStaircase(this.n, made);
  }
}

function timed<T>(work: () => T): [T, number] {
  const began = performance.now();
  return [work(), performance.now() - began];
}

function milliseconds(ms: number): string {
  return ms < 0.1 ? "less than 0.1 ms" : `${number(ms, 2)} ms`;
}

function triples({ n, X, y }: Points): Triple[] {
  return Array.from({ length: n }, (_, i): Triple => [X[2 * i], X[2 * i + 1], y[i]]);
}

function nameOf<T>(names: Record<string, T>, value: T): string {
  return Object.keys(names).find((name) => names[name] === value)!;
}

/** Where the slider stops: each correction of a run of a few hundred, then ever farther apart, to one beyond the bound. */
export function stopsTo(made: number, bound: number | null): number[] {
  const found = new Set<number>([made]);
  const few = Math.min(made, FEW);
  for (let k = 0; k <= few; k++) found.add(k);
  const last = bound === null ? made : bound + 1;
  for (let i = 0; i <= STOPS; i++) found.add(Math.round(Math.max(1, few) * (last / Math.max(1, few)) ** (i / STOPS)));
  if (bound !== null) found.add(bound).add(last);
  return [...found].filter((k) => k <= last).sort((a, b) => a - b);
}
