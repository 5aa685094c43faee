/** The page around the plane. */
import { h } from "./dom";

const KEYS = {
  Click: "adds a point of the chosen class; with Shift, of the other",
  Drag: "moves a point",
  Tab: "goes to the points",
  "Page Up, Page Down": "previous and next point",
  Arrows: "move the point; with Shift, further",
  Delete: "removes it",
  C: "changes its class",
  N: "adds a point",
  "Ctrl Z, Ctrl Y": "undo and redo",
  Space: "plays and pauses",
  ", and .": "one correction back and forward",
};

function keysHelp(): HTMLElement {
  const lines = Object.entries(KEYS).flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)]);
  return h("details", { class: "keys" }, h("summary", {}, "Keys"), h("dl", {}, ...lines));
}

export interface Item {
  label: string;
  act: () => void;
}

/** A menu that closes when something is chosen, at Escape, and at a click elsewhere. */
export function menu(title: string, items: Item[], root: HTMLElement): HTMLElement {
  const choices = items.map(({ label, act }) => {
    const choose = (): void => {
      box.open = false;
      act();
    };
    return h("button", { type: "button", click: choose }, label);
  });
  const box = h("details", { class: "menu" }, h("summary", {}, title), h("div", { class: "menu-items" }, ...choices));
  root.addEventListener("pointerdown", (event) => {
    if (!event.composedPath().includes(box)) box.open = false;
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") box.open = false;
  });
  return box;
}

export interface Parts {
  header: Node[];
  look: Node;
  tools: Node[];
  /** The tour and the challenge: under the plane, which must not move when they come and go. */
  coach: Node[];
  /** The verdict in a line above the plane, where the page is too narrow for both side by side. */
  strip: Node;
  plane: Node;
  transport: Node;
  hint: Node;
  odd: Node;
  legend: Node;
  step: Node;
  question: Node;
  verdict: Node;
  table: HTMLElement;
  learner: Node;
  theorem: Node;
  challenges: Node;
  /** "Why?" for each card that has one. */
  why: Record<"verdict" | "step" | "theorem" | "learner", Node>;
  notice: Node;
  spoken: Node;
}

export function layout(parts: Parts): HTMLElement {
  const card = (title: Node | string | null, ...content: Node[]): HTMLElement =>
    h("section", { class: "card" }, typeof title === "string" ? h("h2", {}, title) : title, ...content);
  const head = (title: Node | string, why: Node): HTMLElement =>
    h("div", { class: "card-head" }, typeof title === "string" ? h("h2", {}, title) : title, why);
  const step = h("section", { class: "card", "aria-label": "This correction" }, parts.step, parts.why.step);
  const stage = h(
    "section",
    { class: "stage", "aria-label": "Plane and replay" },
    parts.look,
    h("div", { class: "tools" }, ...parts.tools),
    parts.strip,
    parts.plane,
    ...parts.coach,
    parts.transport,
    parts.hint,
    parts.odd,
    parts.legend,
    step,
  );
  const side = h(
    "div",
    { class: "side" },
    card(head(parts.question, parts.why.verdict), parts.verdict),
    card("Challenges", parts.challenges),
    parts.table,
    card(head("Learner", parts.why.learner), parts.learner),
    card(null, keysHelp()),
  );
  const theorem = card(head("The convergence theorem at work", parts.why.theorem), parts.theorem);
  theorem.classList.add("under");
  return h(
    "div",
    { class: "lab" },
    h("header", {}, h("h1", {}, "Perceptron lab"), ...parts.header),
    parts.notice,
    h("main", {}, stage, side, theorem),
    parts.spoken,
  );
}
