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
  /** The weights at the end, which say which columns of many are shown. */
  last: Float64Array;
}

/** Before the first correction. */
export function startCard(w: Float64Array | null): Node[] {
  const shown = w ? [...w.subarray(0, 6)].map((v) => number(v)).join(", ") + (w.length > 6 ? ", …" : "") : "";
  const head = h("p", { class: "step-head" }, h("strong", {}, "Before the first correction"));
  return [head, h("p", { class: "muted" }, w ? `w(0) = (${shown})` : "")];
}

const BARS = 60;
const SHOWN = 3; // columns of a table that is too wide: those of the largest weights

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
    `${pass} · point ${row + 1}, `,
    h("span", { class: "math" }, `y = ${label}`),
    name !== label && ` (${name})`,
  );
  const why = h("p", { class: "formula" }, ...because(settings, y, response, tie), ` ${afterwards(y, response, now)}`);
  return [
    head,
    why,
    h(
      "div",
      { class: "step-body" },
      h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "The weights" }, weights(moment, x, names)),
      p > 2 ? heights(moment, names) : diagram(before, after),
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
function weights({ before, after, step, k, last }: Moment, x: Float64Array, names: string[]): HTMLElement {
  const p = x.length;
  const all = [...names, "1"];
  const chosen = [...largest(last, p, SHOWN), p];
  const most = Math.max(7, Math.floor(34 / chosen.length)); // letters of a name, so that the table fits its card
  const cell = (value: number): HTMLElement => h("td", {}, number(value));
  const line = (label: string, look: string, values: (j: number) => number): HTMLElement =>
    h(
      "tr",
      { class: look },
      h("th", { scope: "row" }, label),
      ...chosen.map((j) => cell(values(j))),
    );
  const header = h(
    "tr",
    {},
    h("td", {}),
    ...chosen.map((j) => h("th", { scope: "col", title: all[j] }, j === p ? "bias" : short(all[j], most))),
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

/** The columns of the largest weights, in their order. */
function largest(w: Float64Array, p: number, most: number): number[] {
  const order = Array.from({ length: p }, (_, j) => j).sort((i, j) => Math.abs(w[j]) - Math.abs(w[i]) || i - j);
  return order.slice(0, most).sort((i, j) => i - j);
}

/** A long name without its middle: the ends of names differ as often as their beginnings. */
export function short(name: string, most: number): string {
  const part = (most - 1) / 2;
  return name.length > most ? `${name.slice(0, Math.ceil(part))}…${name.slice(-Math.floor(part))}` : name;
}

/** The weights of many columns as bars, with what was added at their ends; the mouse names a column. */
function heights({ before, after, last }: Moment, names: string[]): SVGElement {
  const [wide, high] = [110, 100];
  const shown = largest(last, names.length, BARS);
  const part = wide / shown.length;
  const most = shown.reduce((top, j) => Math.max(top, Math.abs(after[j]), Math.abs(before[j])), 0) || 1;
  const y = (v: number): number => high / 2 - (v / most) * 46;
  const bar = (look: string, at: number, from: number, to: number): SVGElement =>
    s("rect", { class: look, x: (at + 0.15) * part, y: Math.min(y(from), y(to)), width: 0.7 * part, height: Math.abs(y(from) - y(to)) });
  const bars = shown.map((j, at) =>
    s(
      "g",
      {},
      s("title", {}, `${names[j]}: ${number(before[j])} → ${number(after[j])}`),
      bar("new head", at, 0, after[j]),
      bar("plus head", at, before[j], after[j]),
      s("rect", { class: "reach", x: at * part, y: 0, width: part, height: high }),
    ),
  );
  const axis = s("line", { class: "rule", x1: 0, x2: wide, y1: high / 2, y2: high / 2 });
  const told = { role: "img", "aria-label": `The weights of ${shown.length} of ${names.length} columns as bars, and what was added to each` };
  return s("svg", { class: "diagram", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, ...told }, ...bars, axis);
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
