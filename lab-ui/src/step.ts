/** The correction at hand: the rule as a formula, with the numbers of this step. */
import { h, number, s, whole } from "./dom";
import { rowDot } from "./perceptron";
import type { Points, Settings } from "./types";

export interface Moment {
  k: number;
  K: number;
  pass: number | null;
  row: number;
  step: number;
  before: Float64Array;
  after: Float64Array;
}

/** Before the first correction. */
export function startCard(w: Float64Array | null): Node[] {
  const shown = w ? [...w.subarray(0, 6)].map((v) => number(v)).join(", ") + (w.length > 6 ? ", …" : "") : "";
  const head = h("p", { class: "step-head" }, h("strong", {}, "Before the first correction"));
  return [head, h("p", { class: "muted" }, w ? `w(0) = (${shown})` : "")];
}

const SHOWN = 5; // columns of a table that is too wide

export function stepCard(
  moment: Moment,
  points: Points,
  names: string[],
  className: (y: number) => string,
  settings: Settings,
): Node[] {
  const { row, before, after } = moment;
  const p = points.p,
    y = points.y[row];
  const x = points.X.subarray(row * p, (row + 1) * p);
  const response = rowDot(points.X, row * p, before, p) + before[p];
  const now = rowDot(points.X, row * p, after, p) + after[p];
  const tie = y * response === 0;
  const pass = moment.pass === null ? "" : ` · pass ${whole(moment.pass)}`;
  const [name, label] = [className(y), y > 0 ? "+1" : "−1"];
  const head = h(
    "p",
    { class: "step-head" },
    h("strong", {}, `Correction ${whole(moment.k)} of ${whole(moment.K)}`),
    `${pass} · point ${row + 1}, ${name === label ? "" : `class ${name}, `}y = ${label}`,
  );
  const why = h("p", { class: "formula" }, ...because(settings, y, response, tie), ` ${afterwards(y, response, now)}`);
  return [
    head,
    why,
    h(
      "div",
      { class: "step-body" },
      h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "The weights" }, weights(moment, x, names)),
      diagram(before, after),
    ),
  ];
}

/** Why the example was corrected, in the rule's own terms. */
function because(settings: Settings, y: number, response: number, tie: boolean): (Node | string)[] {
  const s = h("span", { class: "math" }, `s = w·x + b = ${number(response)}`);
  const product = number(y * response);
  if (settings.learner === "adaline")
    return [s, ": the error y − s = ", number(y - response), " is multiplied by η and x."];
  if (settings.learner === "logistic")
    return [
      s,
      ": the chance it gives to the other class, σ(−y·s) = ",
      number(1 / (1 + Math.exp(y * response))),
      ", is multiplied by η, y and x.",
    ];
  if (settings.learner === "passive-aggressive")
    return [s, ": y·s = ", product, " is below 1, so the loss is ", number(1 - y * response), "."];
  return [
    s,
    ", so ",
    h("span", { class: "math" }, `y·s = ${product}`),
    tie ? ": on the line, which counts as a mistake." : " < 0: on the wrong side.",
  ];
}

function afterwards(y: number, before: number, now: number): string {
  const still = y * now > 0 ? "." : ": still not on its side.";
  const gain = y * (now - before); // LMS moves a point back that is right by too much
  return `Afterwards y·s is ${number(y * now)}, ${number(Math.abs(gain))} ${gain < 0 ? "less" : "more"}${still}`;
}

/** w(k) = w(k−1) + step·(x, 1), column by column. */
function weights({ before, after, step, k }: Moment, x: Float64Array, names: string[]): HTMLElement {
  const p = x.length;
  const all = [...names, "1"];
  const chosen = p + 1 <= SHOWN + 1 ? all.map((_, j) => j) : [...Array(SHOWN - 1).keys(), p];
  const most = Math.max(7, Math.floor(34 / chosen.length)); // letters of a name, so that the table fits its card
  const cell = (value: number): HTMLElement => h("td", {}, number(value));
  const line = (label: string, look: string, values: (j: number) => number): HTMLElement =>
    h(
      "tr",
      { class: look },
      h("th", { scope: "row" }, label),
      ...chosen.flatMap((j, at) => [gap(chosen, at), cell(values(j))]),
    );
  const header = h(
    "tr",
    {},
    h("td", {}),
    ...chosen.flatMap((j, at) => [
      gap(chosen, at, "th"),
      h(
        "th",
        { scope: "col", title: all[j] },
        j === p ? "bias" : all[j].length > most ? `${all[j].slice(0, most - 1)}…` : all[j],
      ),
    ]),
  );
  const sign = step < 0 ? "−" : "+";
  return h(
    "table",
    { class: "weights" },
    h(
      "tbody",
      {},
      header,
      line(`w(${whole(k - 1)})`, "old", (j) => before[j]),
      line(`${sign} ${number(Math.abs(step))} · (x, 1)`, "plus", (j) => step * (j === p ? 1 : x[j])),
      line(`w(${whole(k)})`, "new", (j) => after[j]),
    ),
  );
}

function gap(chosen: number[], at: number, tag: "td" | "th" = "td"): HTMLElement | null {
  return at > 0 && chosen[at] !== chosen[at - 1] + 1 ? h(tag, { class: "gap" }, "…") : null;
}

/** The weights as vectors: where w was, what was added, where it is. */
function diagram(before: Float64Array, after: Float64Array): SVGElement {
  const size = 100,
    middle = size / 2;
  const ends = [before[0], before[1], after[0], after[1]].map(Math.abs);
  const scale = (middle - 10) / (Math.max(...ends) || 1);
  const at = (v: Float64Array): [number, number] => [middle + v[0] * scale, middle - (v.length > 2 ? v[1] : 0) * scale];
  const [ox, oy] = at(before),
    [nx, ny] = at(after);
  const arrow = (look: string, x1: number, y1: number, x2: number, y2: number): SVGElement[] => {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 1) return [];
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length],
      tip = Math.min(7, length);
    const wing = (side: number): string =>
      `${x2 - ux * tip - side * uy * tip * 0.5} ${y2 - uy * tip + side * ux * tip * 0.5}`;
    return [
      s("line", { class: look, x1, y1, x2, y2 }),
      s("path", { class: `${look} head`, d: `M${x2} ${y2}L${wing(1)}L${wing(-1)}Z` }),
    ];
  };
  return s(
    "svg",
    {
      class: "diagram",
      viewBox: `0 0 ${size} ${size}`,
      width: size,
      height: size,
      role: "img",
      "aria-label": "The old weight vector, the vector added to it, and the new weight vector",
    },
    s("line", { class: "rule", x1: 0, x2: size, y1: middle, y2: middle }),
    s("line", { class: "rule", x1: middle, x2: middle, y1: 0, y2: size }),
    ...arrow("old", middle, middle, ox, oy),
    ...arrow("plus", ox, oy, nx, ny),
    ...arrow("new", middle, middle, nx, ny),
  );
}
