/** All that the rooms say about a state; each sentence is on the page docs/explanation/sentences.md, with its proof. */
import { count as counted, number, whole } from "../dom";
import type { Points } from "../types";
import type { Bounds, FilterRun, Rule } from "./adaptive";
import type { Contestant } from "./contest";
import type { Course } from "./course";
import { count, dependent, dichotomies, lineFor, type Place } from "./cover";
import { mistakes, total, type Loss, type Rows, type Weights } from "./descent";
import { INPUTS, nameOf } from "./neuron";
import { leastCorrections } from "./staircase";

// ------------------------------------------------------------------------------------------------------------- gates

export const XOR_IS_NO_GATE =
  "No weights do it: XOR asks for 0 < θ, w1 ≥ θ, w2 ≥ θ and w1 + w2 < θ, but the second and third add up to " +
  "w1 + w2 ≥ 2θ > θ. Two layers can.";

/** Of a neuron or a network with these outputs, where others are wanted. */
export function ofGate(who: "neuron" | "network", outputs: string, wanted: string): string {
  const right = INPUTS.filter((_, k) => outputs[k] === wanted[k]).length;
  const ending = right === INPUTS.length ? "." : `: ${right} of 4 rows are as wanted.`;
  return `This ${who} computes ${nameOf(outputs)}${ending}`;
}

// ---------------------------------------------------------------------------------------------------------- counting

export function ofLabelings(places: readonly Place[], labels: readonly number[]): string {
  const all = `the ${whole(2 ** places.length)} labelings of these ${counted(places.length, "point")}`;
  const shown = lineFor(places, labels) ? "linear: a line separates it" : "not: no line separates it";
  return `${whole(Number(dichotomies(places)))} of ${all} are linear. The one shown is ${shown}.`;
}

export function ofPosition(places: readonly Place[]): string {
  const theorem = `C(${places.length}, 3) = ${whole(Number(count(places.length, 3)))}`;
  const found = dependent(places)?.map((i) => i + 1);
  if (!found) return `The points are in general position: Cover’s ${theorem} counts them.`;
  const where = found.length === 2 ? "on one spot" : "on a line";
  const names = `${found.slice(0, -1).join(", ")} and ${found[found.length - 1]}`;
  const fewer = `There it would be ${theorem}; here it is ${whole(Number(dichotomies(places)))}, fewer.`;
  return `Points ${names} lie ${where}: not in general position. ${fewer}`;
}

// ----------------------------------------------------------------------------------------------------------- theorem

/** Of a run and what the theorem says of it. */
export function ofCourse({ points, result, star, made, bound }: Course): string {
  if (!points.y.includes(1) || !points.y.includes(-1)) return "All points are of one class: make one of the other.";
  const after = `After ${counted(made, "correction")}`;
  if (!star) {
    return `No line has every point strictly on its side, so there is no w* to begin the proof with. ${after} some point is still wrong, as at every w.`;
  }
  if (made === 0) return "This start has every point on its side already: there is nothing to correct. Draw again.";
  const most = bound === null ? "has a bound too large to be written" : `allows ${counted(bound, "correction")}, no run makes more`;
  const allowed = `From this start the proof ${most}.`;
  if (result.outcome?.name === "SEPARATED") return `${after} every point is on its side. ${allowed}`;
  return `${after} some point is still wrong. ${allowed}`;
}

/** Of the staircase of n rows, on which a run made so many corrections; null where none was made. */
export function ofStaircase(n: number, made: number | null): string {
  const least = whole(Number(leastCorrections(n)));
  const why = `No run from w = 0 on these ${n} rows makes fewer than (4ⁿ − 1)/3 = ${least} corrections.`;
  return made === null ? why : `${why} In turn it makes ${whole(made)}.`;
}

// ------------------------------------------------------------------------------------------------------------ losses

/** Of a walk from its first weights to its last. */
export function ofWalk(kind: Loss, rows: Rows, walk: readonly Weights[]): string {
  const steps = counted(walk.length - 1, "step");
  const [from, to] = [walk[0], walk[walk.length - 1]];
  const height = total(kind, rows, to);
  if (!Number.isFinite(height)) return `The step is too large: after ${steps} E(w) is too large for a number.`;
  const heights = `from ${number(total(kind, rows, from))} to ${number(height)}`;
  return `After ${steps} E(w) went ${heights}; ${mistakes(rows, to)} of ${rows.length} points are on the wrong side.`;
}

// -------------------------------------------------------------------------------------------------------- regression

export const NO_MINIMUM =
  "Where a line separates, the logistic loss has no minimum: the line is that of the first step of Newton’s method " +
  "that separates.";

function places({ n, X }: Points): Place[] {
  return Array.from({ length: n }, (_, i): Place => [X[2 * i], X[2 * i + 1]]);
}

/** Whether a line has every point strictly on its side: decided in whole numbers. */
export function separable(points: Points): boolean {
  return lineFor(places(points), [...points.y]) !== null;
}

export function ofContest(points: Points, [perceptron, ...others]: readonly Contestant[]): string {
  const after = `after ${counted(perceptron.corrections!, "correction")}`;
  const { errors } = perceptron;
  const rest = others.map((one) => `${one.name} ${one.errors}`).join(", ");
  const beside = rest && ` On the wrong side: ${rest}.`;
  if (!separable(points)) {
    const shown = `and is shown ${after}, with ${errors} wrong.`;
    return `No line separates these points: the perceptron goes on for ever, ${shown}${beside}`;
  }
  const end = errors === 0 ? `the perceptron found one ${after}` : `${after} the perceptron still has ${errors} wrong`;
  return `A line separates these points, and ${end}.${beside}`;
}

// ----------------------------------------------------------------------------------------------------------- filters

/** The largest step that theory calls stable. */
function largestStep(rule: Rule, { meanSquare }: Bounds): number {
  return { LMS: meanSquare, NLMS: 2, RLS: Infinity }[rule];
}

/** The error's power in the last quarter, in dB of that of d. */
export function errorLevel({ e }: FilterRun, d: ArrayLike<number>): number {
  let [ours, whose] = [0, 0];
  for (let n = Math.floor((3 * d.length) / 4); n < d.length; n++) {
    ours += e[n] ** 2;
    whose += d[n] ** 2;
  }
  return 10 * Math.log10(ours / whose);
}

export function ofFilter(rule: Rule, step: number, bounds: Bounds, run: FilterRun, d: ArrayLike<number>): string {
  const most = largestStep(rule, bounds);
  const large =
    step > most ? ` η = ${number(step)} is above ${number(most)}, the largest step that theory calls stable.` : "";
  if (run.lost !== null) return `After ${counted(run.lost, "sample")} the error is too large for a number.${large}`;
  return `In the last quarter the error is at ${number(errorLevel(run, d), 2)} dB of d.${large}`;
}

/** Of LMS with one weight on a constant input. */
export function ofSmoothing(eta: number): string {
  const memory = counted(Math.round(1 / eta), "sample");
  return `With one tap and u = 1 LMS is exponential smoothing: w ← w + η·(d − w). Its memory is about 1/η = ${memory}.`;
}

/** What is known before a filter runs, by name. */
export function ofStep(rule: Rule, step: number, taps: number, bounds: Bounds): Record<string, string> {
  const { power, mean, meanSquare } = bounds;
  if (rule === "NLMS") return { stable: "below η = 2, however loud the input is" };
  if (rule === "RLS") return { memory: `about ${counted(Math.round(1 / (1 - step)), "sample")}` };
  return {
    "2/λmax": `${number(mean)}: below it the weights converge on average`,
    "2/(power·taps)": `${number(2 / (power * taps))}: the rule of thumb`,
    "mean square": `theory calls LMS stable below ${number(meanSquare)}`,
  };
}
