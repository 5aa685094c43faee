/** Challenges, each judged by the lab's own run and its own proof. */
import { count, whole } from "../dom";
import { twoClasses, type Points, type Result, type Settings } from "../types";

export interface Judged {
  done: boolean;
  /** How far it is; docs/explanation/sentences.md has every sentence. */
  words: string;
}

export interface Challenge {
  id: string;
  title: string;
  words: string;
  /** Points to begin with. */
  X: number[][];
  y: number[];
  judge(points: Points, settings: Settings, result: Result): Judged;
}

const MANY = 100; // corrections
const FEW = 6; // points

function not(words: string): Judged {
  return { done: false, words };
}

const perceptronOnly = "The challenge is about the perceptron: choose it under Learner.";
const bothClasses = "Points of both classes are needed.";

function many(points: Points, { learner }: Settings, { rows, verdict, outcome }: Result): Judged {
  if (learner !== "perceptron") return not(perceptronOnly);
  if (points.n > FEW) return not(`${count(points.n, "point")}: ${FEW} are allowed.`);
  if (!twoClasses(points)) return not(bothClasses);
  if (verdict!.kind !== "complete") return not("No line separates these points: the run would never end by itself.");
  if (outcome?.name !== "SEPARATED") return not("The run was stopped before it was done: choose a later “Stop after”.");
  const words = `${count(rows.length, "correction")} with ${count(points.n, "point")}`;
  return rows.length > MANY ? { done: true, words: `${words}.` } : not(`${words}; more than ${MANY} are needed.`);
}

function cycle(_: Points, { learner }: Settings, { rows, verdict, outcome }: Result): Judged {
  if (learner !== "perceptron") return not(perceptronOnly);
  if (verdict!.kind === "complete") return not("A line separates these points: the run comes to an end.");
  const made = count(rows.length, "correction");
  if (outcome?.name === "CYCLING") return { done: true, words: `The weights came back within ${made}, and no line exists.` };
  return not(`No line separates these points, but within ${made} the weights did not come back.`);
}

function labels(points: Points, { phi }: Settings, { verdict }: Result): Judged {
  const given = LABELS.X.flat();
  const same = phi === "x" && points.n === LABELS.X.length && given.every((v, j) => points.X[j] === v);
  if (!same) return not("The points must stay as they were given, with the features x1 and x2: only classes may change.");
  if (verdict!.kind === "complete") return not("A line separates these labels.");
  return { done: true, words: "No line separates these labels. Of the 16 labelings of the 4 points there are 2 such." };
}

function bound(points: Points, { learner }: Settings, { rows, verdict, theorem, outcome }: Result): Judged {
  if (learner !== "perceptron") return not(perceptronOnly);
  if (!twoClasses(points)) return not(bothClasses);
  if (verdict!.kind !== "complete") return not("No line separates these points: there is no bound.");
  if (theorem?.bound == null || outcome?.name !== "SEPARATED") return not("This run has no bound to compare with.");
  const words = `${count(rows.length, "correction")}, and the bound is ${whole(theorem.bound)}`;
  if (rows.length < 2) return not(`${words}; at least 2 corrections are needed.`);
  if (rows.length < theorem.bound) return not(`${words}.`);
  return { done: true, words: `${words}: it is reached. No run can make more.` };
}

const LABELS = {
  X: [
    [-1, -0.5],
    [-0.5, 1],
    [1, 0.75],
    [0.75, -1],
  ],
  y: [1, 1, 1, 1],
};

export const CHALLENGES: Challenge[] = [
  {
    id: "many",
    title: "Make it work hard",
    words: "Make the perceptron need more than 100 corrections with at most 6 points, and still end with every point on its side.",
    X: [
      [-1, 0.5],
      [-0.75, -0.5],
      [-0.25, 0.25],
      [0.5, 0.75],
      [0.75, -0.25],
      [1, 0.5],
    ],
    y: [-1, -1, -1, 1, 1, 1],
    judge: many,
  },
  {
    id: "cycle",
    title: "Make it cycle",
    words: "Make the weights come back to where they were: then the run goes on for ever.",
    X: [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ],
    y: [-1, -1, -1, 1],
    judge: cycle,
  },
  {
    id: "labels",
    title: "Labels that no line separates",
    words: "Leave the four points where they are. Change their classes until no line separates them.",
    ...LABELS,
    judge: labels,
  },
  {
    id: "bound",
    title: "Beat the bound",
    words:
      "The theorem gives a number of corrections that no run exceeds. Reach it, with points of both classes and 2 " +
      "corrections or more. Whoever beats it has found a mistake in the theorem.",
    X: [
      [1.5, 0.5],
      [-1.5, -0.25],
    ],
    y: [1, -1],
    judge: bound,
  },
];

/** What the lab says of a challenge: nothing before the run and its proof are there. */
export function judged(one: Challenge, points: Points, settings: Settings, result: Result | null): Judged {
  if (points.n === 0) return not("There are no points yet.");
  if (!result?.verdict?.proved) return not("Deciding …");
  return one.judge(points, settings, result);
}
