/** The verdict in words: what is proved, what it means for the perceptron, what it is worth. */
import { count, h, number, whole } from "./dom";
import type { Cover, Result, Settings } from "./types";

export interface Circumstances {
  python: boolean;
  edited: boolean;
  scaled: boolean;
  empty: boolean;
}

export function verdictCard(result: Result, settings: Settings, { python, edited, scaled, empty }: Circumstances): Node[] {
  const verdict = result.verdict;
  if (!verdict && !empty && python) return [h("p", { class: "verdict-line muted" }, "Deciding …")];
  if (!python && edited) {
    return [
      h("p", { class: "verdict-line" }, "No verdict here"),
      h("p", { class: "muted" }, "This file has no Python in it. The perceptron you see does run; a proof for these points takes the lab itself: ", h("code", {}, "rosenblatt lab"), "."),
      h("p", {}, runSentence(result)),
    ];
  }
  if (!verdict) return [h("p", { class: "verdict-line" }, "Nothing to decide yet"), h("p", { class: "muted" }, "Click in the plane, or press the button “Add point”.")];
  const [title, rest] = split(verdict.sentence);
  const facts: [string, string | Node][] = [];
  if (verdict.margin) {
    const [low, high] = verdict.margin;
    facts.push(["largest margin γ", low === high || number(low, 6) === number(high, 6) ? number(low, 6) : `${number(low, 6)} … ${number(high, 6)}`]);
  }
  if (verdict.margin && verdict.radius) facts.push(["radius R", number(verdict.radius, 6)]);
  const bound = result.theorem?.bound ?? null;
  if (bound !== null) facts.push(["mistake bound", `${whole(bound)}${result.theorem!.begin === 0 && !settings.normalize ? " = ⌊(R/γ)²⌋" : ""}`]);
  if (verdict.kind === "quasi") facts.push(["on the line", count(verdict.plane, "point")]);
  if (result.witness) facts.push(["witness", `points ${result.witness.rows.slice(0, 6).map((i) => i + 1).join(", ")}${result.witness.rows.length > 6 ? " …" : ""}: a mixture of one class equals a mixture of the other`]);
  facts.push(["this run", runSentence(result)]);
  if (result.cover) facts.push(["random labels", coverSentence(result.cover)]);
  return [
    h("p", { class: `verdict-line ${verdict.kind}` }, title, verdict.proved && h("span", { class: "proved" }, "proved")),
    h("p", {}, rest + (scaled ? " (Decided on the scaled columns.)" : "")),
    h("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  ];
}

export function runSentence(result: Result): string {
  const sentence = result.outcome?.sentence ?? "";
  return sentence && sentence[0].toUpperCase() + sentence.slice(1);
}

/** Cover: which part of all labelings of P points by coins a hyperplane with N weights can realise. */
export function coverSentence({ P, N, probability, log10 }: Cover): string {
  if (P === 0) return "–";
  const who = `${count(P, "point")}, ${count(N, "weight")}: `;
  if (P <= N) return `${who}every labeling would be separable (P ≤ N), so it means nothing.`;
  if (probability > 0.001) return `${who}${number(100 * probability)} % of all labelings in general position would be separable${P === 2 * N ? " (P = 2N: exactly half)" : ""}.`;
  return `${who}1 labeling in 10^${number(-log10, 3)} would be separable, in general position.`;
}

function split(sentence: string): [string, string] {
  const at = sentence.indexOf(": ");
  if (at < 0) return [sentence.replace(/\.$/, ""), ""];
  const rest = sentence.slice(at + 2);
  return [sentence.slice(0, at), rest[0].toUpperCase() + rest.slice(1)];
}
