/** What one can do to the points: add, move, delete, change their class. */
import type { Data } from "./data";
import { button, h, number } from "./dom";
import type { Actions, Plane } from "./plane";
import { Refusal } from "./refusal";
import { emptyData, type State } from "./state";
import type { Settings } from "./types";

export interface Edited {
  /** The points are about to change. */
  remember(): void;
  /** They have changed; `draft`: a point is on its way. */
  moved(words: string, draft: boolean): void;
  /** Other points altogether. */
  show(data: Data, settings: Settings): void;
  say(words: string): void;
  render(): void;
  key(event: KeyboardEvent): void;
  refuse(why: unknown): void;
}

let labs = 0; // a notebook may show several

export class Editing {
  /** Which class new points have. */
  readonly classes = h("div", { class: "classes", role: "radiogroup", "aria-label": "Class of new points" });
  /** Whether a point is on its way. */
  moving = false;
  private addClass = 1;
  private readonly group = `rosenblatt-class-${++labs}`;

  constructor(
    private readonly state: State,
    private readonly plane: () => Plane,
    private readonly on: Edited,
  ) {}

  actions(): Actions {
    return {
      add: (a, b, other) => this.add(a, b, other ? -this.addClass : this.addClass),
      move: (i, a, b, done) => this.move(i, a, b, done),
      remove: (i) => this.remove(i),
      flip: (i) => this.flip(i),
      select: (i) => this.select(i),
      key: (event) => this.on.key(event),
    };
  }

  readonly tools = [
    button("Add point in the middle", "Add point", () => this.addInTheMiddle()),
    button("Delete the chosen point", "Delete", () => this.remove(this.plane().selected)),
    button("Flip the class of the chosen point", "Flip", () => this.flip(this.plane().selected)),
    button("Clear all points", "Clear", () => this.clear()),
  ];

  /** What can be done now: in a projection no point can be added, and without a choice none deleted. */
  drawTools(): void {
    const [add, remove, flip, clear] = this.tools;
    add.disabled = !this.state.data.movable;
    add.title = add.disabled ? "In a projection points cannot be added: learn from two features instead" : "Add point in the middle";
    remove.disabled = flip.disabled = this.plane().selected === null;
    clear.disabled = this.state.data.n === 0;
  }

  drawClasses(): void {
    const choice = (y: number): HTMLElement => {
      const input = h("input", { type: "radio", name: this.group, value: y });
      input.checked = this.addClass === y;
      input.addEventListener("change", () => (this.addClass = y));
      const mark = h("span", { class: "mark", "aria-hidden": "true" });
      const name = h("span", {}, this.state.data.className(y));
      return h("label", { class: y > 0 ? "positive" : "negative" }, input, mark, name);
    };
    this.classes.replaceChildren(choice(1), choice(-1));
  }

  addInTheMiddle(): void {
    const { x0, x1, y0, y1 } = this.plane().frame;
    if (this.state.data.movable) this.add((x0 + x1) / 2, (y0 + y1) / 2, this.addClass);
    else this.on.refuse(new Refusal("In a projection points cannot be added. Learn from two features instead."));
  }

  private add(a: number, b: number, y: number): void {
    this.on.remember();
    const { data } = this.state;
    const i = data.add(a, b, y);
    this.plane().selected = i;
    this.on.moved(`Point ${i + 1} of class ${data.className(y)} added at ${number(a)}, ${number(b)}.`, false);
    this.plane().focusPoint(i);
  }

  private move(i: number, a: number, b: number, done: boolean): void {
    if (!this.moving) this.on.remember();
    this.moving = !done;
    this.state.data.place(i, a, b);
    this.on.moved(done ? `Point ${i + 1} is at ${number(a)}, ${number(b)}.` : "", !done);
  }

  private remove(i: number | null): void {
    if (i === null) return;
    this.on.remember();
    const { data } = this.state;
    data.remove(i);
    const next = Math.min(i, data.n - 1);
    this.plane().selected = next < 0 ? null : next;
    this.on.moved(`Point ${i + 1} deleted.`, false);
    if (next >= 0) this.plane().focusPoint(next);
  }

  private flip(i: number | null): void {
    if (i === null) return;
    this.on.remember();
    const { data } = this.state;
    data.flip(i);
    this.on.moved(`Point ${i + 1} is now of class ${data.className(data.y[i])}.`, false);
  }

  /** The part of the plane that is seen stays. */
  private clear(): void {
    this.on.remember();
    const { data, settings } = this.state;
    const usual = { x0: -2, x1: 2, y0: -1.5, y1: 1.5 };
    const frame = data.movable && !data.scaled ? this.plane().frame : usual;
    this.on.show(emptyData(), settings);
    this.plane().frame = frame;
    this.on.render();
    this.on.say("All points removed. Undo brings them back.");
  }

  private select(i: number | null): void {
    if (this.plane().selected === i) return;
    this.plane().selected = i;
    this.on.render();
  }
}
