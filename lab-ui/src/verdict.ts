/** The verdict in words: what is proved, what it means for the perceptron, what it is worth. */
import { count, h, number, whole } from "./dom";
import { resolved, type Result, type Settings, type Verdict } from "./types";

export interface Circumstances {
  scaled: boolean;
  empty: boolean;
  /** Whether the points have moved since it was proved, long enough ago to be noticed. */
  late: boolean;
}

export function verdictCard(result: Result | null, settings: Settings, now: Circumstances): Node[] {
  if (now.empty) return message("Nothing to decide yet", "Click in the plane, or press the button “Add point”.");
  if (!result?.verdict) return [h("p", { class: "verdict-line muted" }, "Deciding …")];
  const { kind, sentence, proved } = result.verdict;
  const [title, rest] = split(sentence);
  const list = facts(result, result.verdict, settings).flatMap(([name, value]) => [
    h("dt", {}, name),
    h("dd", {}, value),
  ]);
  return [
    h("p", { class: `verdict-line ${kind}` }, title, badge(proved, now.late)),
    h("p", {}, rest + (now.scaled ? " (Decided on the scaled columns.)" : "")),
    h("dl", { class: "facts" }, ...list),
  ];
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
    const rows = result.witness.rows.map((i) => i + 1);
    const shown = rows.slice(0, 6).join(", ") + (rows.length > 6 ? " …" : "");
    found.push(["witness", `points ${shown}: a mixture of one class equals a mixture of the other`]);
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
