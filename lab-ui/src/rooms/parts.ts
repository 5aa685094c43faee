/** What the rooms are made of: a page, sliders, choices, facts. */
import { h, number } from "../dom";
import type { Points } from "../types";
import type { RoomState } from "./roomstate";

export interface RoomPage {
  element: HTMLElement;
  /** Show what an address asks for; an unknown wish changes nothing. */
  open(show: string): void;
  /** What an address would ask for. */
  shown(): string;
  /** All that is chosen and moved. */
  state(): RoomState;
  /** Show a state; one that this room could not have written changes nothing. */
  put(state: unknown): void;
  /** The visitor comes in, or has points now that were not there yet. */
  entered?(): void;
}

/** What the visitor brings along. */
export interface Visitor {
  /** The points in the perceptron's room, where they are on a plane and few. */
  points(): Points | null;
}

export interface Room {
  key: string;
  name: string;
  /** `chosen` is told what the address should ask for. */
  make(chosen: (show: string) => void, visitor: Visitor): RoomPage;
}

export interface Layout {
  title: string;
  /** One sentence from the lecture. */
  words: string;
  stage: Node[];
  side: Node[];
  under?: Node[];
}

export function layout({ title, words, stage, side, under = [] }: Layout): HTMLElement {
  return h(
    "div",
    { class: "room" },
    h(
      "main",
      {},
      h("div", { class: "room-head" }, h("h1", { tabindex: -1 }, title), h("p", { class: "muted" }, words)),
      h("section", { class: "stage", "aria-label": title }, ...stage),
      h("div", { class: "side" }, ...side),
      under.length > 0 && h("div", { class: "under room-under" }, ...under),
    ),
  );
}

/** Sliders that are moved while the picture is watched: they stand right above it. */
export function controls(...content: Node[]): HTMLElement {
  return h("div", { class: "room-controls" }, ...content);
}

export function card(title: string, ...content: Node[]): HTMLElement {
  return h("section", { class: "card" }, h("h2", {}, title), ...content);
}

/** What is said of the state that is shown; screen readers say it when it changes. */
export function saying(): HTMLElement {
  return h("p", { class: "saying", role: "status" });
}

/** One of a few, as buttons in a row. */
export class Choice {
  readonly element: HTMLElement;
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(label: string, options: readonly string[], pick: (option: string) => void) {
    for (const option of options) {
      const one = h("button", { type: "button", click: () => pick(option) }, option);
      this.buttons.set(option, one);
    }
    this.element = h("div", { class: "choice", role: "group", "aria-label": label }, ...this.buttons.values());
  }

  show(chosen: string): void {
    for (const [option, one] of this.buttons) one.setAttribute("aria-pressed", String(option === chosen));
  }
}

export interface Range {
  label: string;
  min: number;
  max: number;
  step: number;
  /** The number that a place of the slider stands for, and how it is written. */
  value?: (place: number) => number;
  text?: (value: number) => string;
}

/** A slider with its name and its number. */
export class Slider {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly output = h("output", { class: "slider-value" });
  private readonly value: (place: number) => number;
  private readonly text: (value: number) => string;

  constructor(
    { label, min, max, step, value = (place) => place, text = (one) => number(one, 4) }: Range,
    moved: (value: number) => void,
  ) {
    this.value = value;
    this.text = text;
    this.input = h("input", { type: "range", min, max, step, "aria-label": label });
    this.input.addEventListener("input", () => {
      this.write();
      moved(this.value(Number(this.input.value)));
    });
    this.element = h("label", { class: "slider" }, h("span", { class: "slider-name" }, label), this.input, this.output);
  }

  /** Go to a place of the slider. */
  place(at: number): void {
    this.input.value = String(at);
    this.write();
  }

  private write(): void {
    const words = this.text(this.value(Number(this.input.value)));
    this.output.textContent = words;
    this.input.setAttribute("aria-valuetext", words);
  }
}

/** A slider whose number is ten to its place. */
export function powers(label: string, min: number, max: number): Range {
  return { label, min, max, step: 0.02, value: (at) => 10 ** at, text: (value) => number(value, 3) };
}

export function facts(entries: Record<string, string>): HTMLElement {
  const lines = Object.entries(entries).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]);
  return h("dl", { class: "facts" }, ...lines);
}

/** A table; the first cell of each row names it. */
export function table(caption: string, head: string[], rows: (string | Node)[][]): HTMLTableElement {
  const body = rows.map(([first, ...rest]) =>
    h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell))),
  );
  return h(
    "table",
    { class: "numbers" },
    h("caption", { class: "spoken" }, caption),
    h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...body),
  );
}
