/**
 * The proof, to be touched. Where classes overlap: λ on a few rows of each class; their mixtures move as λ does, and
 * with the proof's own λ they are one point: Σ λ·y·(x, 1) = 0, in whole numbers, digit by digit. Where a line exists:
 * each row's whole number y·(w·x + b), all above zero. A digit can be changed, and then the sum or the sign says no.
 */
import { check } from "./checker/check";
import { parseJson } from "./checker/json";
import { Refused } from "./checker/reading";
import { h, s, say, superscript } from "./dom";
import { dot, mixed, WHOLE } from "./proof/arithmetic";
import { inOneUnit } from "./proof/dyadic";
import { certificate, hex, weights, type Proof } from "./proof/certificate";
import { BEYOND_PAGE, proofOf } from "./proof/answer";
import { floatBelow } from "./proof/whole";
import { short } from "./step";
import type { Points } from "./types";

const LISTED = 6; // numbers in a sentence
const SHOWN = 12; // rows of the ledger that are written out

/** Where the mixtures of both classes are, for the plane. */
export interface Mixtures {
  rows: number[];
  positive: [number, number];
  negative: [number, number];
}

export class ProofPanel {
  readonly element = h("section", { class: "card touching", "aria-label": "The proof", hidden: true });
  private readonly body = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "The proof in numbers" });
  private readonly words = h("p", { role: "status" });
  private readonly sliders = h("div", { class: "lambdas" });
  private readonly digit = h("button", { type: "button", click: () => this.change() });
  private points: Points | null = null;
  private proof: Proof | null = null;
  private parts: number[] = []; // of one, by the place of the slider
  private names: string[] = []; // of the weights
  private changed = false; // whether somebody has changed a digit

  /** `moved` is told to draw the plane again. */
  constructor(private readonly moved: () => void) {
    this.element.append(
      h("div", { class: "card-head" }, h("h2", {}, "The proof"), h("div", { class: "tools" }, this.digit)),
      this.words,
      this.sliders,
      this.body,
    );
  }

  get open(): boolean {
    return !this.element.hidden;
  }

  /** Show the proof of these points; the sliders begin apart, to be moved together. */
  show(points: Points, names: string[], last: ArrayLike<number>): void {
    this.points = points;
    this.names = [...names, "bias"];
    this.changed = false;
    this.proof = points.n > 0 ? proofOf(points, last) : null;
    const { rows } = this.witness;
    this.parts = rows.map((i) => (rows.find((j) => points.y[j] === points.y[i]) === i ? 1 : 0.25)); // apart
    this.drawSliders();
    this.draw();
  }

  private get witness(): { rows: number[]; lambda: bigint[] } {
    const found = this.proof?.partition.witness ?? new Map<number, bigint>();
    const rows = [...found.keys()].sort((a, b) => a - b);
    return { rows, lambda: rows.map((i) => found.get(i)!) };
  }

  /** Whether mixtures can be drawn: in the plane. */
  private get drawn(): boolean {
    return this.points?.p === 2;
  }

  /** The mixtures, where there are any to be drawn. */
  mixtures(): Mixtures | null {
    const { rows } = this.witness;
    const { points } = this;
    if (!this.open || !points || !this.drawn || rows.length === 0) return null;
    const at = (sign: number): [number, number] => {
      const mine = rows.map((i, k) => ({ i, part: this.parts[k] })).filter(({ i }) => points.y[i] === sign);
      const sum = mine.reduce((total, { part }) => total + part, 0) || 1;
      const mean = (j: number): number => mine.reduce((total, { i, part }) => total + part * points.X[2 * i + j], 0) / sum;
      return [mean(0), mean(1)];
    };
    return { rows, positive: at(1), negative: at(-1) };
  }

  /** The proof's own λ, as parts of one in each class. */
  private exact(): number[] {
    const { rows, lambda } = this.witness;
    const total = (i: number): bigint =>
      lambda.reduce((sum, v, k) => (this.points!.y[rows[k]] === this.points!.y[i] ? sum + v : sum), 0n);
    return rows.map((i, k) => floatBelow(lambda[k], total(i)));
  }

  private drawSliders(): void {
    const { rows } = this.witness;
    const items = (this.drawn ? rows : []).map((i, k) => {
      const name = `λ of point ${i + 1}`;
      const input = h("input", { type: "range", min: 0, max: 1, step: "any", "aria-label": name });
      input.value = String(this.parts[k]);
      input.addEventListener("input", () => {
        this.parts[k] = Number(input.value);
        this.draw();
        this.moved();
      });
      return h("label", { class: this.points!.y[i] > 0 ? "positive" : "negative" }, h("span", {}, name), input);
    });
    const meet = h("button", { type: "button", click: () => this.meet() }, "Bring the mixtures together");
    this.sliders.replaceChildren(...items, ...(items.length > 0 ? [meet] : []));
  }

  private meet(): void {
    this.parts = this.exact();
    this.drawSliders();
    this.draw();
    this.moved();
  }

  private change(): void {
    this.changed = !this.changed;
    this.draw();
  }

  private draw(): void {
    const { proof, points } = this;
    this.digit.hidden = !proof;
    if (!proof || !points) {
      say(this.words, points?.n ? `No proof to show: ${BEYOND_PAGE}` : "");
      return this.body.replaceChildren();
    }
    say(this.digit, this.changed ? "Put it back" : "Change one digit");
    if (this.witness.rows.length > 0) this.drawSum(proof);
    else this.drawLedger(proof, points);
  }

  /** What the page's checker, which shares no code with the search, says of the certificate with one number changed. */
  private refusal(numbers: string, at: number, changed?: bigint): string {
    const { n, p, X, y } = this.points!;
    const content = certificate(this.proof!, this.points!, { features: [], classes: ["-1", "1"] });
    const written = content[numbers] as Record<number, string>;
    written[at] = hex(changed ?? BigInt(written[at]) + 1n);
    const rows = Array.from({ length: n }, (_, i) => Array.from(X.subarray(i * p, (i + 1) * p)));
    try {
      check(parseJson(JSON.stringify(content)), { X: rows, y: Array.from(y) });
      return "It still holds.";
    } catch (why) {
      if (!(why instanceof Refused)) throw why;
      return `The checker refuses it: ${why.message}.`;
    }
  }

  /** Σ λ·y·(x, 1), row by row, column by column. */
  private drawSum({ examples }: Proof): void {
    const { rows, lambda } = this.witness;
    const unit = inOneUnit(examples).rows;
    const used = lambda.map((v, k) => (this.changed && k === 0 ? v + 1n : v));
    const terms = rows.map((i, k) => unit[i].map((v) => used[k] * v));
    const sum = mixed(WHOLE, used, rows.map((i) => unit[i]), unit[0].length);
    const zero = sum.every((v) => v === 0n);
    say(
      this.words,
      this.changed
        ? `With one λ changed the sum is ${listed(sum)}, not zero. ${this.refusal("lambda", rows[0])}`
        : `${this.drawn ? "Move λ until the two mixtures are one point. " : ""}The proof’s whole numbers λ add up to zero, digit by digit.`,
    );
    const line = (name: string, values: readonly bigint[], look = ""): HTMLElement =>
      h("tr", { class: look }, h("th", { scope: "row" }, name), ...values.map((v) => h("td", {}, written(v))));
    const head = unit[0].map((_, j) => h("th", { scope: "col" }, j === unit[0].length - 1 ? "1" : short(this.names[j], 12)));
    this.body.replaceChildren(
      h(
        "table",
        { class: "ledger" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "λ · y·(x, 1)"), ...head)),
        h(
          "tbody",
          {},
          ...terms.map((values, k) => line(`${written(used[k])} · point ${rows[k] + 1}`, values)),
          line("Σ", sum, zero ? "holds" : "fails"),
        ),
      ),
    );
  }

  /** y·(w·x + b) of each row, in whole numbers. */
  private drawLedger(proof: Proof, points: Points): void {
    const { rows, shift } = inOneUnit(proof.examples);
    const found = weights(proof)!;
    const sound = rows.map((row) => dot(WHOLE, row, found));
    const { j, by } = leastChange(rows, sound);
    const values = this.changed ? sound.map((v, i) => v + by * rows[i][j]) : sound;
    const wrong = values.filter((v) => v <= 0n).length;
    say(
      this.words,
      this.changed
        ? `With ${written(found[j] + by)} for ${written(found[j])}, the weight of ${this.names[j]}, ${wrong} of ${points.n} rows are not above zero. ` +
          this.refusal("w", j, found[j] + by)
        : `w = ${listed(found)}: each row’s y·(w·x + b)${unitOf(shift)} is a whole number above zero.`,
    );
    const order = values.map((_, i) => i).sort((i, j) => (values[i] < values[j] ? -1 : 1));
    const lines = order.slice(0, SHOWN).map((i) => {
      const look = values[i] > 0n ? "holds" : "fails";
      const mark = values[i] > 0n ? "> 0 ✓" : "≤ 0 ✗";
      return h("tr", { class: look }, h("th", { scope: "row" }, `point ${i + 1}`), h("td", {}, written(values[i])), h("td", {}, mark));
    });
    const more = points.n > SHOWN ? ` (the ${SHOWN} smallest of ${points.n})` : "";
    const head = ["row", `y·(w·x + b)${more}`, "side"].map((name) => h("th", { scope: "col" }, name));
    this.body.replaceChildren(h("table", { class: "ledger" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...lines)));
  }
}

/** In what the whole numbers count, where it is not ones. */
function unitOf(shift: number): string {
  return shift > 0 ? `, counted in 2${superscript(-shift)},` : "";
}

function listed(values: readonly bigint[]): string {
  return `(${values.slice(0, LISTED).map(written).join(", ")}${values.length > LISTED ? ", …" : ""})`;
}

/** A whole number in groups of three digits; of a very long one the first and the last. */
function written(v: bigint): string {
  const groups = v.toString().replace("-", "−").split(/\B(?=(?:\d{3})+(?!\d))/);
  return (groups.length > 7 ? [...groups.slice(0, 2), "…", ...groups.slice(-3)] : groups).join("\u202f");
}

/** The weight that needs the least change, by a power of ten, for some row not to be above zero. */
function leastChange(rows: bigint[][], values: bigint[]): { j: number; by: bigint } {
  let [least, at, sign] = [-1n, 0, 1n];
  rows.forEach((row, i) =>
    row.forEach((v, j) => {
      const need = v && (values[i] - 1n) / (v < 0n ? -v : v) + 1n;
      if (need && (least < 0n || need < least)) [least, at, sign] = [need, j, v < 0n ? 1n : -1n];
    }),
  );
  return { j: at, by: sign * 10n ** BigInt(String(least).length) };
}

/** The mixtures on the plane: a point of each class's hull. */
export function drawn({ positive, negative }: Mixtures, at: (place: [number, number]) => [number, number]): SVGElement[] {
  const [p, q] = [at(positive), at(negative)];
  const line = s("line", { class: "gap-line", x1: p[0], y1: p[1], x2: q[0], y2: q[1] });
  const disc = s("circle", { class: "mixture positive", cx: p[0], cy: p[1], r: 8 });
  const square = s("rect", { class: "mixture negative", x: q[0] - 7, y: q[1] - 7, width: 14, height: 14 });
  return [line, disc, square];
}
