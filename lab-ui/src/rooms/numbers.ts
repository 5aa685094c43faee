/** What the rooms compute, for tests that compare it with Python. */
import { reasonOf } from "../reason";
import type { Points, Verdict } from "../types";
import { adaptiveFilter, bounds, type Task } from "./adaptive";
import { contest, type Contestant } from "./contest";
import { Course, type Choices, type Moment } from "./course";
import { path, type Loss, type Mode, type Rows, type Weights } from "./descent";
import { PRESETS, WANTED } from "./neuron";
import { PROOFS, provable } from "./proofs";
import { NO_MINIMUM, ofContest, ofCourse, ofFilter, ofStep, ofWalk, separable, XOR_IS_NO_GATE } from "./words";

export { adaptiveFilter, bounds } from "./adaptive";
export { count, dependent, dichotomies, labelings, log10Probability, probability, regime } from "./cover";
export { loss, path, pull, total } from "./descent";
export { signals, truth } from "./neuron";
export { spectrum } from "./signals";
export { climb, decided } from "./staircase";
export { ofGate, ofLabelings, ofPosition, ofSmoothing, ofStaircase } from "./words";

export function gates(): [typeof WANTED, typeof PRESETS] {
  return [WANTED, PRESETS];
}

function pointsOf(X: [number, number][], y: number[]): Points {
  return { n: y.length, p: 2, X: Float64Array.from(X.flat()), y: Int8Array.from(y) };
}

export function contestOf(X: [number, number][], y: number[]): Contestant[] {
  return contest(pointsOf(X, y));
}

/** A run, its numbers after k corrections, and what is said of it: the sentence, and every step of every proof. */
export function courseOf(X: [number, number][], y: number[], choices: Choices, k: number): [Moment, number[], number[], string, string[]] {
  const course = new Course(pointsOf(X, y), choices);
  const m = course.at(k);
  const steps = Object.values(PROOFS).flat();
  const { rows, start } = course.result;
  return [m, [...rows], [...start], ofCourse(course), provable(m) ? steps.map((step) => step.words(m)) : []];
}

export function reasonFor(X: number[][], y: number[], names: string[], because: Verdict["because"]): string {
  const points = { n: y.length, p: names.length, X: Float64Array.from(X.flat()), y: Int8Array.from(y) };
  return reasonOf({ kind: "complete", because } as Verdict, points, { features: names, classes: ["no", "yes"] });
}

// what the rooms say of a state, all sentences of it

export function ofXor(): string {
  return XOR_IS_NO_GATE;
}

export function ofWalkOf(kind: Loss, mode: Mode, rows: Rows, eta: number, start: Weights, steps: number): string {
  return ofWalk(kind, rows, path(kind, mode, rows, eta, start, steps));
}

export function ofContestOf(X: [number, number][], y: number[]): string {
  const points = pointsOf(X, y);
  const note = separable(points) ? ` ${NO_MINIMUM}` : "";
  return ofContest(points, contest(points)) + note;
}

export function ofFilterOf(task: Task, u: number[], d: number[]): string[] {
  const { rule, step, taps } = task;
  const limits = bounds(u, taps);
  const said = ofFilter(rule, step, limits, adaptiveFilter(task, u, d, u.length), d);
  return [said, ...Object.values(ofStep(rule, step, taps, limits))];
}
