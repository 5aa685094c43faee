/** All that the page shows about its points and proves by itself: the verdict, the witness, the theorem's numbers. */
import { check, type Given } from "../checker/check";
import { parseJson } from "../checker/json";
import { rowDot } from "../perceptron";
import { Replay } from "../replay";
import {
  resolved,
  twoClasses,
  type Points,
  type Result,
  type Settings,
  type Theorem,
  type Verdict,
  type Witness,
} from "../types";
import { dot, WHOLE } from "./arithmetic";
import { extremes, mistakeBound, type Extremes } from "./bound";
import { certificate, weights, type Content, type Names, type Proof } from "./certificate";
import { examples, split } from "./dyadic";
import { separated } from "./partition";
import { prove } from "./prove";
import { asFloats, floatAbove, floatBelow, rootAbove } from "./whole";
import { worth } from "./worth";

const MOST_WORK = 12_000_000; // n·d·d
const MOST_WEIGHTS = 80; // a few seconds
const MOST_CHECKED = 2_000_000; // n·d, of weights that a run has found
const LARGEST_BOUND = 1e300; // that the page can still write
const SAMPLES = 300; // of a curve
const DRAWN_WITNESS = 64; // rows

export interface Proved {
  verdict: Verdict;
  witness: Witness | null;
  theorem: Theorem | null;
  k: Int32Array;
  normSq: Float64Array;
  cos: Float64Array;
  certificate: Content | null;
}

type Run = Pick<Result, "rows" | "steps" | "start" | "eta">;

/** Whether these are more values than this page proves by itself. */
export function beyondPage({ n, p }: Points): boolean {
  return p >= MOST_WEIGHTS || n * (p + 1) ** 2 > MOST_WORK;
}

/** The proof for n ≥ 1 points; of too many values for a search, one by the `last` weights of a run, or none. */
export function proofOf(points: Points, last: ArrayLike<number>): Proof | null {
  return beyondPage(points) ? provedBy(last, points) : prove(points);
}

/** Weights that have every row strictly on its side, in whole numbers, prove that there are such. */
function provedBy(w: ArrayLike<number>, points: Points): Proof | null {
  const { n, p, X, y } = points;
  if (n * (p + 1) > MOST_CHECKED || w.length !== p + 1) return null;
  const floats = Float64Array.from(w);
  for (let i = 0; i < n; i++) if (!(y[i] * (rowDot(X, i * p, floats, p) + w[p]) > 0)) return null;
  const given = examples(points);
  const parts = Array.from(floats, (v, j) => ({ ...split(v), of: given.exponents[j] }));
  const least = Math.min(...parts.map(({ whole, exponent, of }) => (whole ? exponent + of : Infinity)));
  const wholes = parts.map(({ whole, exponent, of }) => whole && whole << BigInt(exponent + of - least));
  const sound = given.rows.every((row) => dot(WHOLE, row, wholes) > 0n);
  return sound ? { examples: given, partition: { ...separated(), w: wholes }, margin: null, street: null } : null;
}

export function answer(
  points: Points,
  settings: Settings,
  run: Run,
  names: Names,
  last: ArrayLike<number> = new Replay(points, run).at(run.rows.length),
): Proved {
  const two = twoClasses(points);
  const proof = proofOf(points, last);
  if (!proof) return { verdict: tooLarge(), witness: null, certificate: null, ...theorem(points, settings, run, null) };
  const content = certificate(proof, points, names);
  verify(content, points);
  return {
    verdict: verdictOf(proof, points, two),
    witness: witnessOf(proof, points),
    certificate: content,
    ...theorem(points, settings, run, two ? proof : null),
  };
}

/** The proof is written down, read again and checked like a stranger's: the search that found it is not trusted. */
function verify(content: Content, { n, p, X, y }: Points): void {
  const given: Given = {
    X: Array.from({ length: n }, (_, i) => Array.from(X.subarray(i * p, (i + 1) * p))),
    y: Array.from(y),
  };
  check(parseJson(JSON.stringify(content)), given);
}

export const BEYOND_PAGE = "these are more values than this page proves by itself; rosenblatt lab takes them.";

function tooLarge(): Verdict {
  return { ...NOTHING, kind: "unknown", sentence: `Not decided: ${BEYOND_PAGE}`, proved: false };
}

const NOTHING: Omit<Verdict, "kind" | "sentence" | "proved"> = {
  w: null,
  street: null,
  margin: null,
  limits: {},
  radius: null,
  bound: null,
  worth: null,
  plane: 0,
};

function verdictOf(proof: Proof, points: Points, two: boolean): Verdict {
  const { examples, partition, margin, street } = proof;
  const { kind, plane } = partition;
  const onPlane = `${plane.length} of ${points.n} rows lie on it`;
  const sentence = {
    complete: "Completely separable: a hyperplane has every example strictly on its side.",
    quasi: `Quasi-separable: a hyperplane has no example on the wrong side, but ${onPlane}.`,
    overlap: "Overlapping: no hyperplane separates the classes, not even touching.",
  }[kind];
  const found: Verdict = { ...NOTHING, kind, sentence, proved: true, worth: worth(points, kind), plane: plane.length };
  const w = weights(proof);
  if (two && w) found.w = asFloats(w);
  if (margin) {
    const bounds = extremes(examples, margin.w, false);
    const [over, under] = rootAbove(bounds.epsilon.over * bounds.epsilon.under);
    found.margin = [floatBelow(...margin.lower), floatAbove(...margin.upper)];
    found.radius = floatAbove(over, under * bounds.epsilon.under);
    found.bound = Number(mistakeBound(margin.w, bounds, [], 1));
    if (!two) found.limits = { street: "a street lies between two classes, and there is only one" };
  }
  if (street) {
    const [lower, upper] = [floatBelow(...street.lower), floatAbove(...street.upper)];
    found.street = { lower, upper, w: asFloats(street.w) };
  }
  return found;
}

/** The rows whose mixtures coincide, their parts of one, and where: a point in both classes' hulls. */
function witnessOf({ partition: { witness } }: Proof, { p, X, y }: Points): Witness | null {
  const rows = [...witness.keys()].sort((a, b) => a - b);
  const mine = rows.filter((i) => y[i] > 0);
  const total = mine.reduce((sum, i) => sum + witness.get(i)!, 0n);
  if (rows.length > DRAWN_WITNESS || total === 0n) return null;
  const part = (i: number): number => floatBelow(witness.get(i)!, total);
  const point = Array.from({ length: p }, (_, j) => mine.reduce((sum, i) => sum + part(i) * X[i * p + j], 0));
  return { rows, parts: rows.map(part), point };
}

/** ‖w(k)‖² and the angle to w* at some k, and the numbers that give the theorem's bounds at every k. */
function theorem(
  points: Points,
  given: Settings,
  run: Run,
  proof: Proof | null,
): Pick<Proved, "theorem" | "k" | "normSq" | "cos"> {
  const settings = resolved(given);
  const k = sampled(run.rows.length);
  const replay = new Replay(points, run);
  const walked = Array.from(k, (at) => replay.at(at));
  const normSq = Float64Array.from(walked, (w) => square(w));
  const found: Theorem = { begin: square(run.start), growth: null, ahead: null, gain: null, bound: null };
  let cos = new Float64Array();
  if (settings.learner === "perceptron") {
    found.growth = run.eta ** 2 * (settings.normalize ? 1 : longest(points));
    if (run.rows.length > 0 && proof?.margin) {
      const whole = proof.margin.w,
        w = asFloats(whole),
        length = Math.sqrt(square(w));
      const bounds = extremes(proof.examples, whole, settings.normalize);
      const along = (v: ArrayLike<number>): number => w.reduce((sum, one, j) => sum + one * v[j], 0);
      found.ahead = along(run.start) / length;
      found.gain = run.eta * gainOf(whole, bounds);
      found.bound = Number(mistakeBound(whole, bounds, run.start, run.eta));
      if (!(found.bound < LARGEST_BOUND)) found.bound = null;
      cos = Float64Array.from(walked, (v, i) => along(v) / Math.sqrt(normSq[i] * square(w)));
    }
  }
  return { theorem: found, k, normSq, cos };
}

/** δ/‖w‖, as a float not above it. */
function gainOf(w: bigint[], { delta }: Extremes): number {
  const [over, under] = rootAbove(dot(WHOLE, w, w));
  return floatBelow(delta.over * under, delta.under * over);
}

function longest({ n, p, X }: Points): number {
  let most = 0;
  for (let i = 0; i < n; i++) most = Math.max(most, rowDot(X, i * p, X, p, i * p) + 1);
  return most;
}

function square(w: ArrayLike<number>): number {
  let sum = 0;
  for (let j = 0; j < w.length; j++) sum += w[j] * w[j];
  return sum;
}

/** Numbers of corrections from 0 to K, about evenly on both a plain and a logarithmic scale. */
function sampled(K: number): Int32Array {
  const found = new Set<number>();
  for (let i = 0; i < SAMPLES; i++) {
    found.add(Math.floor((K * i) / (SAMPLES - 1)));
    if (K > 0) found.add(Math.floor(K ** (i / (SAMPLES - 1))));
  }
  return Int32Array.from([...found]).sort();
}
