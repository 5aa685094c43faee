/** The room of regression: the perceptron looks at sides, regressions look at distances. */
import { h, number } from "../dom";
import { respond } from "../perceptron";
import type { Line } from "../plane";
import type { Points } from "../types";
import { contest, type Contestant } from "./contest";
import { LOSSES } from "./descent";
import { alike, within, type RoomState } from "./roomstate";
import { card, Choice, controls, layout, saying, Slider, table, type Room, type RoomPage } from "./parts";
import { lineOf, PointPlane } from "./points";
import { NO_MINIMUM, ofContest, separable } from "./words";

const FAR = 12; // where lecture 000's two points lie
const NEAR_TO_FAR: [number, number] = [1, 30]; // where they can lie
const LECTURE =
  "The perceptron corrects w only where a point is on the wrong side. Least squares and LMS fit the labels −1 and +1 " +
  "like any numbers: points far out on their right side cost much, and drag the line over others. Logistic regression " +
  "counts such points for almost nothing.";

const HINT = "Click to add a point (with Shift: of class −1), drag it, or press C to change its class.";
const OWN = "Counterexample";

/** x1, x2 and the class; the counterexample is that of comparison/experiments.py. */
const SETS: Record<string, (far: number) => [number, number, number][]> = {
  [OWN]: (far) =>
    [-2, -1, 1, far].flatMap((x1, k) => [-1, 1].map((x2): [number, number, number] => [x1, x2, k < 2 ? -1 : 1])),
  "Two clouds": () => [
    [-2, 0.5, -1],
    [-1.5, -1, -1],
    [-1, 1.25, -1],
    [-0.75, -0.25, -1],
    [0.75, 0.5, 1],
    [1, -1, 1],
    [1.75, 1, 1],
    [2, -0.25, 1],
  ],
  Overlapping: () => [
    [-2, 0, -1],
    [-1, 1, -1],
    [-0.5, -1, -1],
    [0.75, 0.5, -1],
    [-0.75, 0.25, 1],
    [0.5, -0.75, 1],
    [1, 1.25, 1],
    [2, 0, 1],
  ],
};

export const REGRESSION: Room = { key: "regression", name: "Regression", make: (chosen) => new Regression(chosen) };

class Regression implements RoomPage {
  readonly element: HTMLElement;
  private set = OWN;
  private distance = FAR; // of the counterexample's two points
  private readonly hidden = new Set<string>();
  private readonly boxes = new Map<string, HTMLInputElement>();
  private readonly sets = new Choice("Points", Object.keys(SETS), (set) => this.choose(set));
  private readonly points = new PointPlane({
    least: 2,
    most: 40,
    grid: () => 0,
    changed: () => this.draw(),
    fit: () => this.fit(),
  });
  private readonly far = new Slider({ label: "x1 of the two", min: NEAR_TO_FAR[0], max: NEAR_TO_FAR[1], step: 0.25 }, (far) => {
    this.place(far);
    this.fit();
  });
  private readonly farther = controls(
    this.far.element,
    h("p", { class: "muted small" }, "The two points on the right are right already. Move them further out."),
  );
  private readonly shownLines = h("fieldset", {}, h("legend", {}, "Lines shown"));
  private readonly said = saying();
  private readonly rows = h("div", { class: "scroll" });
  private readonly note = h("p", { class: "muted small" }, NO_MINIMUM);
  private fitted = false;

  constructor(private readonly chosen: (show: string) => void) {
    this.element = layout({
      title: "Regression",
      words: LECTURE,
      stage: [
        this.sets.element,
        this.said,
        this.farther,
        this.points.plane.element,
        h("div", { class: "tools" }, ...this.points.tools),
        h("p", { class: "hint" }, HINT),
      ],
      side: [card("Points on the wrong side, and mean losses", this.rows, this.note, this.shownLines)],
    });
    for (const name of ["least squares", "LMS", "logistic"]) this.shownLines.append(this.lineBox(name));
    this.choose(this.set, false);
  }

  open(show: string): void {
    if (Object.hasOwn(SETS, show)) this.choose(show, false);
  }

  shown(): string {
    return this.set;
  }

  state(): RoomState {
    return { set: this.set, distance: this.distance, hidden: [...this.hidden].sort(), points: this.points.state() };
  }

  put(state: unknown): void {
    const like = { set: this.set, distance: this.distance, hidden: [""], points: this.points.state() };
    if (!alike(state, like) || !Object.hasOwn(SETS, state.set) || !this.points.allows(state.points)) return;
    this.choose(state.set, false);
    this.distance = within(state.distance, NEAR_TO_FAR);
    this.far.place(this.distance);
    this.hidden.clear();
    for (const [name, box] of this.boxes) {
      box.checked = !state.hidden.includes(name);
      if (!box.checked) this.hidden.add(name);
    }
    const { xs, ys, labels } = state.points;
    this.points.set(xs, ys, labels);
    this.fit();
  }

  private lineBox(name: string): HTMLElement {
    const box = h("input", { type: "checkbox" });
    this.boxes.set(name, box);
    box.checked = true;
    box.addEventListener("change", () => {
      if (box.checked) this.hidden.delete(name);
      else this.hidden.add(name);
      this.draw();
    });
    return h("label", { class: "check" }, box, h("span", {}, name));
  }

  private choose(set: string, told = true): void {
    this.set = set;
    this.sets.show(set);
    this.farther.hidden = set !== OWN;
    this.far.place(FAR);
    if (told) this.chosen(set);
    this.place(FAR);
    this.fit();
  }

  private place(far: number): void {
    this.distance = far;
    const rows = SETS[this.set](far);
    this.points.set(rows.map(([a]) => a), rows.map(([, b]) => b), rows.map(([, , y]) => y));
  }

  private fit(): void {
    const begun = SETS[this.set](this.distance); // points that were moved since are within
    this.points.plane.fit([...begun.map(([a]) => a), -3, 3], [...begun.map(([, b]) => b), -2, 2], true);
    this.fitted = true;
    this.draw();
  }

  private draw(): void {
    if (!this.fitted) return;
    const points = this.points.points();
    const found = contest(points);
    const lines = found.flatMap((one, k) => this.line(one, k));
    const wrong = this.points.labels.map((y, i) => !(y * respond(points.X, i, found[0].w, 2) > 0));
    this.points.draw(lines, wrong);
    const head = ["learner", "wrong", ...LOSSES];
    const body = found.map(({ name, errors, losses }) => {
      return [name, count(errors), ...LOSSES.map((kind) => number(losses[kind], 2))];
    });
    this.rows.replaceChildren(table("The learners, points on the wrong side, and mean losses", head, body));
    this.say(points, found);
  }

  private line({ name, w, errors }: Contestant, k: number): Line[] {
    if (k === 0) return lineOf("", "new", w);
    return this.hidden.has(name) ? [] : lineOf(`${name}: ${errors} wrong`, `rival rival-${k - 1}`, w);
  }

  private say(points: Points, found: Contestant[]): void {
    const parted = separable(points);
    this.said.textContent = ofContest(points, found);
    this.note.hidden = !parted;
    this.said.classList.toggle("warns", parted && found.some((one) => one.errors > 0));
  }
}

function count(errors: number): HTMLElement {
  return h("span", { class: errors > 0 ? "wrong" : "right" }, String(errors));
}
