/** What the parts of the lab hand each other. */

export type Learner = "perceptron" | "passive-aggressive" | "adaline" | "logistic";
export type Order = "cyclic" | "shuffled" | "random";
export type Tie = "mistake" | "correct" | "positive";
export type Phi = "x" | "product" | "squares" | "quadratic";
export type Recipe = "rosenblatt62" | "cyclic" | "stein" | "unit" | "signum" | "own";

export interface Settings {
  learner: Learner;
  recipe: Recipe;
  eta: number | null;
  order: Order;
  start: "zeros" | "random";
  tie: Tie;
  normalize: boolean;
  phi: Phi;
  limit: number;
  seed: number;
  rivals: string[];
}

/** n points with p features each, row after row, and their classes, −1 or +1. */
export interface Points {
  n: number;
  p: number;
  X: Float64Array;
  y: Int8Array;
}

export function twoClasses({ y }: Points): boolean {
  return y.includes(1) && y.includes(-1);
}

export interface Verdict {
  kind: "complete" | "quasi" | "overlap" | "unknown";
  sentence: string;
  proved: boolean;
  w: number[] | null;
  /** The widest street between the classes: half its width lies between these ends, and w is its middle. */
  street: { lower: number; upper: number; w: number[] } | null;
  /** The theorem's margin, bias included: that of the hyperplane w. */
  margin: [number, number] | null;
  /** Why "margin" or "street" is missing or wide, where it is. */
  limits: Record<string, string>;
  radius: number | null;
  bound: number | null;
  worth: string | null;
  /** Columns that separate together, where Python looked for them. */
  because?: { columns: number[]; smallest: boolean } | null;
  /** Rows that lie on every hyperplane that has no row on its wrong side. */
  plane: number;
}

export interface Witness {
  rows: number[];
  parts: number[];
  point: number[];
}

export interface Rival {
  name: string;
  w: number[];
  wrong: number;
  sentence: string;
}

/** The bounds at any k: lower = max(0, ahead + k·gain)², upper = begin + k·growth. */
export interface Theorem {
  begin: number;
  growth: number | null;
  ahead: number | null;
  gain: number | null;
  bound: number | null;
}

/** All that is known about the points at hand; proofs are missing as long as they are under way. */
export interface Result {
  d: number;
  rows: Int32Array;
  steps: Float64Array;
  start: Float64Array;
  passEnds: Int32Array;
  mistakes: number[];
  passes: number;
  eta: number;
  seed: string;
  outcome: { name: string; sentence: string } | null;
  verdict: Verdict | null;
  witness: Witness | null;
  rivals: Rival[];
  theorem: Theorem | null;
  k: Int32Array;
  normSq: Float64Array;
  cos: Float64Array;
  seconds: number;
}

export interface Preset {
  name: string;
  look: string;
  names: string[];
  X: number[];
  y: number[];
  settings: Partial<Settings>;
}

export const FARTHEST = 1e30; // of a coordinate, as in lab/simulation.py

export const USUAL: Settings = {
  learner: "perceptron",
  recipe: "rosenblatt62",
  eta: null,
  order: "cyclic",
  start: "zeros",
  tie: "mistake",
  normalize: false,
  phi: "x",
  limit: 10_000,
  seed: 0,
  rivals: [],
};

/** What each lecture's dialect stands for; the same table is in learners/perceptron.py. */
export const RECIPES: Record<Exclude<Recipe, "own">, Pick<Settings, "order" | "start" | "tie" | "normalize">> = {
  rosenblatt62: { order: "cyclic", start: "zeros", tie: "mistake", normalize: false },
  cyclic: { order: "cyclic", start: "random", tie: "correct", normalize: false },
  stein: { order: "random", start: "random", tie: "positive", normalize: false },
  unit: { order: "random", start: "random", tie: "correct", normalize: true },
  signum: { order: "cyclic", start: "zeros", tie: "mistake", normalize: false },
};

/** The settings with those of the recipe filled in. */
export function resolved(settings: Settings): Settings {
  if (settings.learner !== "perceptron" || settings.recipe === "own") return settings;
  return { ...settings, ...RECIPES[settings.recipe] };
}

export const RIVALS = ["least squares", "LMS", "logistic"];

const CHOICES: { [name in keyof Settings]?: readonly unknown[] } = {
  learner: ["perceptron", "passive-aggressive", "adaline", "logistic"],
  recipe: ["rosenblatt62", "cyclic", "stein", "unit", "signum", "own"],
  order: ["cyclic", "shuffled", "random"],
  start: ["zeros", "random"],
  tie: ["mistake", "correct", "positive"],
  phi: ["x", "product", "squares", "quadratic"],
  normalize: [true, false],
};

/** Settings from elsewhere: what does not exist is left at its usual value. */
export function soundSettings(given: unknown): Settings {
  const settings: Settings = { ...USUAL };
  if (typeof given !== "object" || given === null) return settings;
  const found = given as Record<string, unknown>;
  for (const [name, allowed] of Object.entries(CHOICES)) {
    if (allowed.includes(found[name])) Object.assign(settings, { [name]: found[name] });
  }
  const { eta, limit, seed, rivals } = found;
  if (typeof eta === "number" && eta > 0 && eta <= 1e30) settings.eta = eta;
  if (typeof limit === "number" && limit >= 1 && limit <= 200_000) settings.limit = limit;
  if (typeof seed === "number" && seed >= 0 && seed < 2 ** 32) settings.seed = Math.floor(seed);
  if (Array.isArray(rivals)) settings.rivals = RIVALS.filter((name) => rivals.includes(name));
  return settings;
}
