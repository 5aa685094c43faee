/**
 * The point of a convex hull that is nearest to the origin (Wolfe 1976, Finding the nearest point in a polytope).
 *
 * The hull is known by its lowest vertex in any direction. The algorithm holds a few vertices in general position (a
 * corral) whose mixture is the nearest point of the plane through them, and exchanges them until no vertex is lower.
 * With whole numbers it ends at the nearest point itself; mixtures are not divided by their sum.
 */
import { dot, mixed, type Arithmetic } from "./arithmetic";

export interface Vertex<T> {
  /** The rows it is made of. */
  rows: number[];
  at: T[];
}

export interface Hull<T> {
  lowest(x: readonly T[]): Vertex<T>;
  vertex(rows: number[]): Vertex<T>;
}

export interface Nearest<T> {
  corral: Vertex<T>[];
  /** The mixture, positive, and its sum. */
  parts: T[];
  sum: T;
  /** The nearest point times `sum`. */
  x: T[];
}

/** Begin with these vertices, as far as they are in general position and the nearest point is between them. */
export function nearest<T>(
  numbers: Arithmetic<T>,
  hull: Hull<T>,
  begin: Vertex<T>[],
  most: number,
): Nearest<T> | null {
  let now = among(numbers, begin) ?? among(numbers, begin.slice(0, 1))!;
  for (let step = 0; step < most; step++) {
    const { x, sum, corral, parts } = now;
    const next = hull.lowest(x);
    const square = dot(numbers, x, x);
    if (!numbers.below(numbers.times(sum, dot(numbers, next.at, x)), square, square)) return now;
    const grown = exchange(numbers, [...corral, next], [...parts, numbers.zero]);
    if (grown === null) return null; // only rounding can say so
    now = grown;
  }
  return null;
}

/** The nearest point between some of these vertices: those with a negative part are left out, one by one. */
function among<T>(numbers: Arithmetic<T>, begin: Vertex<T>[]): Nearest<T> | null {
  let corral = begin;
  while (corral.length > 0) {
    const parts = affine(numbers, corral);
    if (parts === null) return null;
    const worst = parts.reduce((k, v, i) => (v < parts[k] ? i : k), 0);
    if (parts[worst] > numbers.zero) return found(numbers, corral, parts);
    corral = corral.filter((_, k) => k !== worst);
  }
  return null;
}

/** A new vertex has come in: move towards the nearest point of the plane, leaving out whoever would turn negative. */
function exchange<T>(numbers: Arithmetic<T>, vertices: Vertex<T>[], mixture: T[]): Nearest<T> | null {
  const { zero, minus, times } = numbers;
  let corral = vertices,
    parts = mixture;
  for (;;) {
    const goal = affine(numbers, corral);
    if (goal === null) return null;
    let first = -1; // who reaches zero first, on the way from parts to goal
    goal.forEach((g, k) => {
      if (g > zero) return;
      if (first < 0 || times(parts[k], goal[first]) > times(parts[first], g)) first = k;
    });
    if (first < 0) return found(numbers, corral, goal);
    const stopped = parts.map((v, k) => minus(times(parts[first], goal[k]), times(goal[first], v)));
    const kept = stopped.map((v, k) => k !== first && v > zero);
    if (!kept.some(Boolean)) return null;
    parts = stopped.filter((_, k) => kept[k]);
    corral = corral.filter((_, k) => kept[k]);
  }
}

function found<T>(numbers: Arithmetic<T>, corral: Vertex<T>[], parts: T[]): Nearest<T> {
  const vectors = corral.map((v) => v.at);
  const kept = numbers.shortened(parts);
  return { corral, parts: kept, sum: kept.reduce(numbers.plus), x: mixed(numbers, kept, vectors, vectors[0].length) };
}

/**
 * The mixture (of any sum > 0) of the nearest point of the plane through these; null if they are not in general
 * position.
 *
 * It solves (Gram matrix + 1·1ᵀ)·parts = 1, which is positive definite for such vertices.
 */
function affine<T>(numbers: Arithmetic<T>, corral: Vertex<T>[]): T[] | null {
  const { one, zero, plus, minus, times, over } = numbers;
  const rows = corral.map((a) => [...corral.map((b) => plus(dot(numbers, a.at, b.at), one)), one]);
  let pivot = one;
  for (let r = 0; r < rows.length; r++) {
    const next = rows[r][r];
    if (!(next > zero)) return null;
    rows.forEach((row, i) => {
      if (i === r) return;
      const factor = row[r];
      for (let k = 0; k < row.length; k++) row[k] = over(minus(times(row[k], next), times(factor, rows[r][k])), pivot);
    });
    pivot = next;
  }
  return rows.map((row) => row[row.length - 1]);
}
