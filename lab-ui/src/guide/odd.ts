/** What is odd about the points or the line at hand, in sentences; docs/explanation/sentences.md has them all. */
import { count } from "../dom";
import { rowDot } from "../perceptron";
import { resolved, twoClasses, type Points, type Settings, type Verdict } from "../types";

const NAMED = 6; // points that a sentence names

/** `w` are the weights that are shown; `features` the points as the learner has them. */
export function oddities(features: Points, settings: Settings, w: Float64Array | null, verdict: Verdict | null): string[] {
  if (features.n === 0) return [];
  const found = [...sameplace(features), ...ties(features, settings, w)];
  if (!twoClasses(features)) found.push("All points are of one class: there is nothing to tell apart.");
  if (verdict?.proved && verdict.kind !== "complete") found.push(never(settings, features.p));
  return found;
}

const known = new WeakMap<Points, string[]>(); // by the points, for they stay while a run is played

function sameplace(points: Points): string[] {
  const found = known.get(points) ?? inOnePlace(points);
  known.set(points, found);
  return found;
}

/** Points in one place: of two classes nothing can separate them, of one class they look like one point. */
function inOnePlace({ n, p, X, y }: Points): string[] {
  const same = (i: number, k: number): boolean => {
    for (let j = 0; j < p; j++) if (X[i * p + j] !== X[k * p + j]) return false;
    return true;
  };
  const at = new Map<number, number[]>(); // points of one sum: those in one place are among them
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = i * p; j < (i + 1) * p; j++) sum = 0.6180339887 * sum + X[j];
    const rows = at.get(sum);
    if (rows) rows.push(i);
    else at.set(sum, [i]);
  }
  const shared = [...at.values()].flatMap((rows) => (rows.length > 1 ? together(rows, same) : []));
  const mixed = shared.filter((rows) => rows.some((i) => y[i] !== y[rows[0]]));
  if (mixed.length > 0) {
    return [`${named(mixed[0])} lie in the same place and have different classes: nothing can separate them.`];
  }
  return shared.length > 0 ? [`${named(shared[0])} lie in the same place and look like one.`] : [];
}

/** Rows in groups of equals, of two or more. */
function together(rows: number[], same: (i: number, k: number) => boolean): number[][] {
  const groups: number[][] = [];
  for (const i of rows) {
    const mine = groups.find(([first]) => same(first, i));
    if (mine) mine.push(i);
    else groups.push([i]);
  }
  return groups.filter((group) => group.length > 1);
}

const TIES = { mistake: "a mistake", correct: "right", positive: "class 1" };

/** Points exactly on the line that is shown. */
function ties({ n, p, X }: Points, given: Settings, w: Float64Array | null): string[] {
  if (!w || w.length !== p + 1 || w.subarray(0, p).every((v) => v === 0)) return [];
  const rows: number[] = [];
  for (let i = 0; i < n; i++) if (rowDot(X, i * p, w, p) + w[p] === 0) rows.push(i);
  if (rows.length === 0) return [];
  const settings = resolved(given);
  const rule = settings.learner === "perceptron" ? ` This recipe counts a tie as ${TIES[settings.tie]}.` : "";
  return [`${named(rows)} ${rows.length === 1 ? "lies" : "lie"} on the line: a tie, s = 0.${rule}`];
}

function never({ phi }: Settings, p: number): string {
  // points of a table with one column, or with more than two, cannot be moved, and have no Φ
  const [what, advice] =
    phi !== "x" ? ["curve of these features", MOVE] : p === 2 ? ["line", MOVE] : ["hyperplane", ""];
  return `No ${what} has every point strictly on its side, however long a learner runs.${advice}`;
}

const MOVE = " Move a point, or try other features Φ(x).";

function named(rows: number[]): string {
  if (rows.length > NAMED) return count(rows.length, "point");
  const names = rows.map((i) => String(i + 1));
  return names.length === 1 ? `Point ${names[0]}` : `Points ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
