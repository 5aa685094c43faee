/** The convergence theorem's proof in the words of three lectures; each step with its numbers at a moment of a run. */
import { count, number, whole } from "../dom";
import type { Correction, Moment } from "./course";

/** What a step is about: it lights up in the plane, in the weight space, in the curves and in the inequality. */
export type Term = "step" | "walk" | "star" | "least" | "along" | "length" | "most" | "angle";

export interface Step {
  /** The moment to be seen: a correction, the end of the run, or where the bounds have crossed. */
  at: "step" | "end" | "crossing";
  terms: Term[];
  formula: string;
  /** The step in words, with the numbers of this run. */
  words(m: Proved): string;
}

/** A moment of a run on points that a hyperplane separates, after at least one correction of the run. */
export type Proved = Moment & { margin: number; ahead: number; bound: number; least: number; last: Correction };

/** Whether there is something to prove, and a w* to prove it with. */
export function provable(m: Moment): m is Proved {
  return m.bound !== null && m.least !== null && m.last !== null;
}

const PROGRESS: Step = {
  at: "end",
  terms: ["least", "along"],
  formula: "w*·w(k) ≥ w*·w(0) + k·ηγ",
  words: ({ k, along, least, eta, margin }) =>
    `Each correction takes w at least ηγ = ${number(eta * margin)} further along w*, to the right. After ${count(k, "correction")} ` +
    `it must be at ${number(least)} or beyond, the blue line` +
    (along === null ? "." : `; it is at ${number(along)}.`),
};

const RESTRAINT: Step = {
  at: "step",
  terms: ["step", "length"],
  formula: "‖w + ηz‖² = ‖w‖² + 2η·w·z + ‖ηz‖² ≤ ‖w‖² + ‖ηz‖²",
  words: ({ last, eta }) =>
    `The middle term is ${number(2 * eta * last.response)}: not above 0, since it was a mistake. So ‖w‖² went from ` +
    `${number(last.was)} to ${number(last.is)}, and not above ${number(last.was)} + ${number(last.square)}.`,
};

const CIRCLE = (k: number, most: number, length: number | null): string =>
  `After ${count(k, "correction")} w lies within the orange circle of radius ${number(most)}` +
  (length === null ? "." : `: its length is ${number(length)}.`);

/** The crossing in numbers that differ. */
function crossed({ k, least, most, bound }: Proved): string {
  const beyond = k > bound && least > most;
  if (!beyond) return `The line moves like k, the circle grows like √k. At k = ${whole(bound + 1)} the line is outside the circle.`;
  const [far, near] = apart(least, most);
  return (
    `At k = ${whole(k)} w would have to be ${far} along w*, and no longer than ${near}: there is no such place. ` +
    `So no run on these points makes more than ${count(bound, "correction")} from this start.`
  );
}

/** The nine steps of Stein and Lettmann; ŵ has length one here, so that δ is the margin γ. */
const STEIN: Step[] = [
  {
    at: "step",
    terms: ["step"],
    formula: "w·z ≤ 0  ⇒  w ← w + η·z",
    words: ({ last }) =>
      `z is y·(x, 1). Point ${last.point} had w·z = ${number(last.response)}, which is not above 0: a mistake, and so η·z is added to w.`,
  },
  {
    at: "end",
    terms: ["walk"],
    formula: "w(n) = w(0) + η·z + … + η·z",
    words: ({ k }) => `After n = ${whole(k)} corrections w is its start and ${count(k, "step")}, each along one of the points.`,
  },
  {
    at: "end",
    terms: ["star"],
    formula: "δ = min ŵ·z > 0",
    words: ({ margin }) =>
      `A hyperplane separates the points, so there is a ŵ with ŵ·z > 0 for each. The best has δ = γ = ${number(margin)}: it was found, and proved.`,
  },
  { ...PROGRESS, formula: "ŵ·w(n) ≥ ŵ·w(0) + n·ηδ" },
  {
    at: "end",
    terms: ["along", "length"],
    formula: "‖ŵ‖²·‖w(n)‖² ≥ (ŵ·w(n))²",
    words: ({ length, along }) =>
      "Cauchy and Schwarz: no vector reaches further along ŵ than it is long." +
      (length === null ? "" : ` Here ${number(length ** 2)} ≥ ${number(along! ** 2)}.`),
  },
  RESTRAINT,
  {
    at: "end",
    terms: ["walk", "length"],
    formula: "‖w(n)‖² ≤ ‖w(0)‖² + Σ ‖ηz‖²",
    words: ({ length, begin, sum, made, k }) =>
      k > made || length === null
        ? "The same for each of the corrections."
        : `The same for each of the ${count(k, "correction")}: ${number(length ** 2)} ≤ ${number(begin)} + ${number(sum)}.`,
  },
  {
    at: "end",
    terms: ["most", "length"],
    formula: "‖w(n)‖² ≤ ‖w(0)‖² + n·η²ε",
    words: ({ k, most, length, radius }) =>
      `No z is longer than R = ${number(radius)}, so ε = R² = ${number(radius ** 2)}. ${CIRCLE(k, most, length)}`,
  },
  {
    at: "crossing",
    terms: ["least", "most"],
    formula: "(ŵ·w(0) + n·ηδ)² ≤ ‖w(0)‖² + n·η²ε",
    words: (m) => `Both must hold, and the left side grows like n², the right side like n. ${crossed(m)}`,
  },
];

function cosine({ along, length }: Proved): string {
  if (length === null) return "";
  return length > 0 ? ` Its cosine is ${number(along!)}/${number(length)} = ${number(along! / length)}.` : " It has none where w is 0.";
}

/** The three sentences of Khapra, for z of any length. */
const KHAPRA: Step[] = [
  {
    at: "end",
    terms: ["angle"],
    formula: "cos β = w*·w(k) / ‖w(k)‖",
    words: (m) =>
      `β is the angle between w(k) and w*.${cosine(m)} What can the two parts of the fraction do?`,
  },
  {
    at: "step",
    terms: ["step", "star"],
    formula: "w*·w(k) = w*·w(k − 1) + η·w*·z ≥ w*·w(k − 1) + ηδ",
    words: ({ last, eta, margin }) =>
      `The numerator: point ${last.point} adds ${number(last.along)}, and none adds less than ηδ = ${number(eta * margin)}.`,
  },
  { ...PROGRESS, formula: "w*·w(k) ≥ w*·w(0) + k·ηδ" },
  { ...RESTRAINT, terms: ["step", "length"] },
  {
    at: "end",
    terms: ["most"],
    formula: "‖w(k)‖ ≤ √(‖w(0)‖² + k·η²R²)",
    words: ({ k, most, length }) => `The denominator. ${CIRCLE(k, most, length)}`,
  },
  {
    at: "crossing",
    terms: ["angle", "least", "most"],
    formula: "1 ≥ cos β ≥ (w*·w(0) + k·ηδ) / √(‖w(0)‖² + k·η²R²)",
    words: (m) => `The right side grows like √k, and no cosine is above 1. ${crossed(m)}`,
  },
];

/** The proof by the angle, from the lecture on Cover's theorem. */
const COVER: Step[] = [
  {
    at: "end",
    terms: ["angle", "walk"],
    formula: "cos θ(n) = w(n)·w* / (‖w(n)‖·‖w*‖)",
    words: ({ length, along }) => {
      const angle = length ? ` Here it is ${number((Math.acos(Math.min(1, along! / length)) * 180) / Math.PI)}°.` : "";
      return `w is a random walk with a bias towards w*: look at the angle between them.${angle}`;
    },
  },
  {
    at: "end",
    terms: ["star"],
    formula: "δ* = min y·(w*·x) / ‖w*‖,  D = max ‖x‖",
    words: ({ margin, radius }) =>
      `In the space of (x, 1) the nearest point is δ* = ${number(margin)} from the hyperplane of w*, and the longest is D = ${number(radius)} long.`,
  },
  PROGRESS,
  {
    at: "step",
    terms: ["step", "length"],
    formula: "w(n − 1)·Δw ≤ 0  ⇒  ‖w(n)‖² ≤ ‖w(n − 1)‖² + η²D²",
    words: ({ last, eta, radius }) =>
      `A correction never goes along w: w·Δw = ${number(eta * last.response)}. So ‖w‖² gained ${number(last.is - last.was)}, ` +
      `and can gain ${number((eta * radius) ** 2)} at most.`,
  },
  {
    at: "crossing",
    terms: ["least", "most", "angle"],
    formula: "cos θ(n) ≥ δ*·√n / D → ∞ from w(0) = 0, but cos θ ≤ 1",
    words: crossed,
  },
];

export const PROOFS: Record<string, Step[]> = {
  "Stein and Lettmann": STEIN,
  "Khapra: cos β": KHAPRA,
  "Cover: the angle": COVER,
};

/** Two numbers with as many digits as it takes to see that they differ. */
export function apart(a: number, b: number): [string, string] {
  for (let digits = 3; digits < 15; digits++) {
    const [one, other] = [number(a, digits), number(b, digits)];
    if (one !== other) return [one, other];
  }
  return [String(a), String(b)];
}
