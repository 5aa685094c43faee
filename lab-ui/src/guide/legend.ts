/** What the signs on the plane mean. */
import { h, s } from "../dom";
import type { Result } from "../types";

type Sign = [look: string, path: string, words: string];

const DRAWN: Sign[] = [
  ["line", "M2 8H26", "the line of the perceptron"],
  ["before", "M2 8H26", "the line before the correction"],
  ["w", "M4 8H20M20 4L25 8L20 12Z", "w, towards the discs’ side"],
  ["corrected", "M20 8A6 6 0 1 1 8 8A6 6 0 1 1 20 8Z", "the point corrected"],
  ["plus", "M2 8H20M20 4L25 8L20 12Z", "y·x, added to w"],
];
const STREET: Sign = ["street", "M2 8H26", "the middle of the widest street"];
const SEPARATING: Sign = ["street", "M2 8H26", "a separating line"];
const TOUCHING: Sign = ["street", "M2 8H26", "a line that touches"];
const MEETING: Sign = ["hulls", "M14 1L21 8L14 15L7 8Z", "where the hulls meet: no line exists"];
const DISC = "M20 8A6 6 0 1 1 8 8A6 6 0 1 1 20 8Z";
const OPEN = ["M9 3H19V13H9Z", "M14 2L20 13H8Z", "M14 1L21 8L14 15L7 8Z", "M14 14L20 3H8Z"];
const WRONG: Sign = ["disc rim", DISC, "contrasting rim: not on its side"];

export class Legend {
  readonly element = h("ul", { class: "signs", "aria-label": "Legend" });
  private shown = "";

  /** `projected`: the plane shows distances to the hyperplane, and most signs are not drawn. */
  draw(result: Result | null, classNames: string[], projected: boolean): void {
    const kind = result?.verdict?.kind ?? "";
    const rest = classNames.slice(0, -1).map((name, k): Sign => ["square", OPEN[k], `class ${name}`]);
    const signs: Sign[] = [["disc", DISC, `class ${classNames[rest.length]}`], ...rest, WRONG];
    if (projected) signs.push(["line", "M2 8H26", "the hyperplane, seen edge on"], DRAWN[3]);
    else signs.push(...DRAWN);
    const { street, w } = result?.verdict ?? { street: null, w: null };
    if (!projected && street) signs.push(STREET);
    else if (!projected && w) signs.push(kind === "quasi" ? TOUCHING : SEPARATING);
    if (!projected && result?.witness) signs.push(MEETING);
    const shown = JSON.stringify(signs);
    if (shown === this.shown) return;
    this.shown = shown;
    this.element.replaceChildren(...signs.map(sign));
  }
}

function sign([look, path, words]: Sign): HTMLElement {
  const box = { viewBox: "0 0 28 16", width: 28, height: 16, class: "sign", "aria-hidden": "true" };
  return h("li", {}, s("svg", box, s("path", { class: look.replace(/\w+/g, "sign-$&"), d: path })), h("span", {}, words));
}
