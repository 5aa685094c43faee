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
  /** The film of the first visit: in the place of the tools, so that the plane stays where it is. */
  film: Node;
  /** The challenge that is on. */
  quest: Node;
  /** The verdict in a line above the plane, where the page is too narrow for both side by side. */
  strip: Node;
  plane: Node;
  transport: Node;
  lead: Node;
  hint: Node;
  odd: Node;
  legend: Node;
  step: Node;
  question: Node;
  /** Shows the proof. */
  prove: Node;
  verdict: Node;
  facts: Node;
  proof: Node;
  table: HTMLElement;
  learner: Node;
  /** `follow` leads to the room of the theorem. */
  theorem: { words: Node; curves: Node; passes: Node; follow: Node };
  challenges: Node;
  /** "Why?" for each card that has one. */
  why: Record<"verdict" | "step" | "theorem" | "learner", Node>;
  notice: Node;
  spoken: Node;
}

/** What matters is on one screen: plane, verdict, the rule with its numbers, the curves. The rest is below. */
export function layout(parts: Parts): HTMLElement {
  const { theorem, why } = parts;
  const card = (title: Node | string | null, ...content: Node[]): HTMLElement =>
    h("section", { class: "card" }, typeof title === "string" ? h("h2", {}, title) : title, ...content);
  const head = (title: Node | string, reason: Node): HTMLElement =>
    h("div", { class: "card-head" }, typeof title === "string" ? h("h2", {}, title) : title, reason);
  const tools = h("div", { class: "bench" }, parts.look, h("div", { class: "tools" }, ...parts.tools));
  const stage = h(
    "section",
    { class: "stage", "aria-label": "Plane and replay" },
    h("div", { class: "over-plane" }, tools, parts.film),
    parts.quest,
    parts.strip,
    parts.plane,
    parts.transport,
    parts.lead,
    parts.hint,
    parts.legend,
  );
  const step = h("section", { class: "card", "aria-label": "This correction" }, head(parts.step, why.step));
  const curves = card(head("The convergence theorem at work", h("div", {}, theorem.follow, why.theorem)), theorem.curves);
  const side = h(
    "div",
    { class: "side" },
    card(head(parts.question, h("div", {}, parts.prove, why.verdict)), h("div", { class: "told" }, parts.verdict, parts.odd)),
    parts.proof,
    h("div", { class: "run" }, step, curves),
  );
  const more = h(
    "div",
    { class: "more" },
    parts.table,
    card(head("Learner", why.learner), parts.learner),
    card("In numbers", parts.facts),
    card("Challenges", parts.challenges),
    card("Why a run ends", theorem.words, theorem.passes),
    card(null, keysHelp()),
  );
  return h(
    "div",
    { class: "lab" },
    h("header", {}, h("h1", {}, "Perceptron lab"), ...parts.header),
    parts.notice,
    h("main", {}, stage, side, more),
    parts.spoken,
  );
}
