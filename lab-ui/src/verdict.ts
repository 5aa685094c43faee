/** The verdict in words: what is proved, what it means for the perceptron, what it is worth. */
import { count, h, number, typeset, whole } from "./dom";
import { resolved, type Result, type Settings, type Verdict } from "./types";

export interface Circumstances {
  scaled: boolean;
  empty: boolean;
  /** How many rows the verdict is about, where they are not all drawn. */
  rows: number | null;
  /** Why they are separable, where that is known. */
  reason: string;
  /** Whether the points have moved since it was proved, long enough ago to be noticed. */
  late: boolean;
}

/** The answer in a few lines of a fixed height: nothing moves when it flips. */
export function verdictCard(result: Result | null, now: Circumstances): Node[] {
  if (now.empty) return message("Nothing to decide yet", "Click in the plane, or press the button “Add point”.");
  if (!result?.verdict) {
    const of = now.rows ? ` about ${count(now.rows, "row")}` : "";
    const waiting = h("progress", { "aria-label": "Deciding" });
    return [h("p", { class: "verdict-line muted" }, `Deciding${of} …`), ...(now.rows ? [waiting] : [])];
  }
  const { kind, sentence, proved } = result.verdict;
  const [title, rest] = split(sentence);
  return [
    h("p", { class: `verdict-line ${kind}` }, title, badge(proved, now.late)),
    h("p", { class: "verdict-words" }, typeset(now.reason || rest) + (now.scaled ? " (Decided on the scaled columns.)" : "")),
    h("p", { class: "brief" }, typeset(brief(result, result.verdict, now.rows !== null))),
  ];
}

/** All numbers that come with the verdict. */
export function factLines(result: Result, verdict: Verdict, settings: Settings): Node[] {
  return facts(result, verdict, settings).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, typeset(value))]);
}

/** The one number that comes with each verdict, and how the run ended. */
function brief(result: Result, { street }: Verdict, sampled: boolean): string {
  const { witness, theorem } = result;
  const parts = [sampled ? `On the rows drawn: ${result.outcome?.sentence}` : runSentence(result)];
  if (theorem?.bound != null) parts.push(`No run ${sampled ? "on them " : ""}makes more than ${whole(theorem.bound)}.`);
  if (street) parts.push(`Half the street is ${number(street.lower, 4)}.`);
  if (witness) parts.push(`${named(witness.rows)} prove it.`);
  return parts.join(" ");
}

function named(rows: number[]): string {
  return `Points ${rows.slice(0, 6).map((i) => i + 1).join(", ")}${rows.length > 6 ? " …" : ""}`;
}

/** A proof is of the points that are seen, or the page says that it is not. */
function badge(proved: boolean, late: boolean): HTMLElement | null {
  if (late) return h("span", { class: "late" }, "a moment ago");
  return proved ? h("span", { class: "proved" }, "proved") : null;
}

function message(title: string, words: string): Node[] {
  return [h("p", { class: "verdict-line" }, title), h("p", { class: "muted" }, words)];
}

function facts(result: Result, verdict: Verdict, settings: Settings): [string, string][] {
  const found: [string, string][] = [];
  const { street, margin, radius, plane, limits } = verdict;
  if (street || limits.street) {
    const ends: [number, number] | null = street && [street.lower, street.upper];
    found.push(["half the street", interval(ends, limits.street)]);
  }
  if (margin || limits.margin) found.push(["the theorem's margin γ", interval(margin, limits.margin)]);
  if (margin && radius !== null) found.push(["radius R", number(radius, 6)]);
  if (result.theorem?.bound != null) {
    const novikoff = result.theorem.begin === 0 && !resolved(settings).normalize;
    found.push(["mistake bound", whole(result.theorem.bound) + (novikoff ? " = ⌊(R/γ)²⌋" : "")]);
  }
  if (verdict.kind === "quasi") found.push(["on the plane", count(plane, "point")]);
  if (result.witness) {
    found.push(["witness", `${named(result.witness.rows)}: a mixture of one class equals a mixture of the other`]);
  }
  found.push(["this run", runSentence(result)]);
  if (verdict.worth) found.push(["what it is worth", verdict.worth]);
  return found;
}

/** A number as far as it is known, and why it is not known better, where that is so. */
function interval(ends: [number, number] | null, why = ""): string {
  if (!ends) return `not found: ${why}`;
  const [low, high] = ends.map((end) => number(end, 6));
  return (low === high ? low : `${low} … ${high}`) + (why && `; no closer, as ${why}`);
}

function runSentence(result: Result): string {
  const sentence = result.outcome?.sentence ?? "";
  return sentence && sentence[0].toUpperCase() + sentence.slice(1);
}

function split(sentence: string): [string, string] {
  const at = sentence.indexOf(": ");
  if (at < 0) return [sentence.replace(/\.$/, ""), ""];
  const rest = sentence.slice(at + 2);
  return [sentence.slice(0, at), rest[0].toUpperCase() + rest.slice(1)];
}
