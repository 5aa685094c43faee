/** The lecture's six questions, true or false, as bets; each answer comes with an experiment in the room. */
import { h } from "../dom";
import type { Loss, Mode } from "./descent";

/** What the room is set to, to see it. */
export interface Experiment {
  kind: Loss;
  mode: Mode;
  set: string;
  eta: number;
}

interface Bet {
  claim: string;
  answer: boolean;
  why: string;
  see: Experiment;
}

const walk = (kind: Loss, set: string, eta: number): Experiment => ({ kind, set, eta, mode: kind === "perceptron" ? "one at a time" : "all at once" });

export const BETS: Bet[] = [
  {
    claim: "The perceptron and logistic regression both learn to tell two classes apart.",
    answer: true,
    why: "Where a line can do it, both find one.",
    see: walk("logistic", "Separable", 1),
  },
  {
    claim: "On classes that overlap, neither the perceptron nor logistic regression converges.",
    answer: false,
    why: "The perceptron never ends there, but the logistic loss has a minimum, and small steps come to rest in it.",
    see: walk("logistic", "Overlapping", 0.5),
  },
  {
    claim: "On separable classes, the longer logistic regression trains, the more its curve looks like the step of a perceptron.",
    answer: true,
    why: "The loss has no minimum there: w grows without end, and σ(w·x) becomes a step.",
    see: walk("logistic", "Separable", 4),
  },
  {
    claim: "Of the two, the perceptron alone has a hyperplane between the classes.",
    answer: false,
    why: "Logistic regression has one too: w·x = 0, where its probability is one half.",
    see: walk("logistic", "Overlapping", 0.5),
  },
  {
    claim: "The perceptron works towards a large margin.",
    answer: false,
    why: "It stays at the first w without a mistake, however near a point is to its line.",
    see: walk("perceptron", "Separable", 0.2),
  },
  {
    claim: "Logistic regression works towards a large margin.",
    answer: true,
    why: "A point that is right by more costs less: w goes on after the last mistake.",
    see: walk("logistic", "Separable", 1),
  },
];

/** The bets, one below the other; `see` sets the room to an experiment. */
export function betting(see: (experiment: Experiment) => void): HTMLElement {
  return h("ol", { class: "bets" }, ...BETS.map((bet) => h("li", {}, h("p", {}, bet.claim), answering(bet, see))));
}

function answering(bet: Bet, see: (experiment: Experiment) => void): HTMLElement {
  const told = h("p", { role: "status", class: "small" });
  const look = h("button", { type: "button", hidden: true, click: () => see(bet.see) }, "See it");
  const sides = [true, false].map((side) => {
    const one = h("button", { type: "button", "aria-pressed": "false" }, side ? "True" : "False");
    one.addEventListener("click", () => {
      for (const other of sides) other.setAttribute("aria-pressed", String(other === one));
      told.textContent = `${side === bet.answer ? "Right" : "Wrong"}: it is ${bet.answer}. ${bet.why}`;
      look.hidden = false;
    });
    return one;
  });
  return h("div", {}, h("div", { class: "choice", role: "group", "aria-label": bet.claim }, ...sides, look), told);
}
