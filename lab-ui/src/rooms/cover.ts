/** Cover's theorem: how many of all 2^P labelings a hyperplane realises; in whole numbers, as in counting.py and cover/. */
import { alternative } from "../proof/alternative";
import { examples, forExamples, type Examples } from "../proof/dyadic";
import { street } from "../proof/margins";
import { asFloats, bitLength, floatBelow, primitive } from "../proof/whole";
import { chance } from "../proof/worth";

/** C(P, N) = 2·Σ_{k<N} binom(P − 1, k), of P points in general position with N weights. */
export function count(P: number, N: number): bigint {
  let term = 1n,
    total = 0n;
  for (let k = 0; k < Math.min(N, P); k++) {
    total += term;
    term = (term * BigInt(P - 1 - k)) / BigInt(k + 1);
  }
  return 2n * total;
}

/** The part of all labelings that is separable, C(P, N)/2^P. */
export function probability(P: number, N: number): number {
  return floatBelow(count(P, N), 1n << BigInt(P));
}

function log10(value: bigint): number {
  const shift = Math.max(0, bitLength(value) - 60);
  return Math.log10(Number(value >> BigInt(shift))) + shift * Math.log10(2);
}

export function log10Probability(P: number, N: number): number {
  return P <= N ? 0 : log10(count(P, N)) - P * Math.log10(2);
}

// ------------------------------------------------------------------------------------------------- the three regimes

/** As Python writes {value:.3g}: what lies in the middle goes to the even digit. */
function general(value: number, digits: number): string {
  const shorter = value.toExponential(digits - 1);
  const [exact, exponent] = value.toExponential(100).split("e");
  const middle = /^50*$/.test(exact.slice(digits + 1));
  const even = `${exact.slice(0, digits + 1)}e${exponent}`;
  const rounded = Number(middle && Number(exact[digits]) % 2 === 0 ? even : shorter);
  const [mantissa, power] = rounded.toExponential(digits - 1).split("e").map(Number);
  if (power >= -4 && power < digits) return String(rounded);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** Which of the three regimes P points and N weights are in: the sentences of cover/capacity.py. */
export function regime(P: number, N: number): string {
  if (P <= N) return "P ≤ N: every labeling of points in general position is separable.";
  const times = `P = ${general(P / N, 3)}·N`;
  if (P < 2 * N) {
    const rest = probability(P, P - N);
    const share = rest > 1e-12 ? `all but ${general(100 * rest, 2)} % of` : "practically all";
    return `${times}, below the capacity of 2N: ${share} labelings of points in general position are separable.`;
  }
  if (P === 2 * N)
    return "P = 2N, the capacity: exactly half of all labelings of points in general position are separable.";
  const bound = chance(log10Probability(P, N));
  const most = `the chance of a labeling to be separable is at most ${bound}, and less with more points.`;
  return `${times}, above the capacity of 2N: ${most}`;
}

// --------------------------------------------------------------------------------------------------- given points

export type Place = readonly [number, number];
type Vector = readonly bigint[];

/** The points as vectors y·(x, 1) of whole numbers. */
function vectors(points: readonly Place[], labels: readonly number[] = points.map(() => 1)): Examples {
  return examples({ n: points.length, p: 2, X: Float64Array.from(points.flat()), y: Int8Array.from(labels) });
}

/** The shortest vector of whole numbers along a line, its first number other than zero positive. */
function normal(vector: Vector): bigint[] {
  const lead = vector.find((v) => v !== 0n)!;
  return primitive(lead > 0n ? vector : vector.map((v) => -v));
}

function different(vectors: readonly Vector[]): Vector[] {
  return [...new Map(vectors.map((one) => [one.join(), one])).values()];
}

/** Hyperplanes 0 … i − 1 seen within hyperplane i; some may coincide there. */
function restricted(planes: readonly Vector[], i: number): Vector[] {
  const plane = planes[i];
  const k = plane.findIndex((v) => v !== 0n);
  const others = plane.map((_, c) => c).filter((c) => c !== k);
  return planes.slice(0, i).map((v) => normal(others.map((c) => plane[k] * v[c] - v[k] * plane[c])));
}

/** Into how many regions hyperplanes through 0, all different, cut the space: plane i cuts as many as it has on it. */
function regions(planes: readonly Vector[]): bigint {
  if (planes.length === 0) return 1n;
  if (planes[0].length === 2) return 2n * BigInt(planes.length);
  return planes.reduce((total, _, i) => total + regions(different(restricted(planes, i))), 1n);
}

/** How many labelings of these very points a line realises, every point strictly on its side. */
export function dichotomies(points: readonly Place[]): bigint {
  return regions(different(vectors(points).rows.map(normal)));
}

export interface Labeling {
  labels: number[];
  /** Weights of a line with these signs, about one in size; null where no line has them. */
  line: number[] | null;
}

/** A line for these labels, in the middle where there are both; null where whole numbers prove that there is none. */
export function lineFor(points: readonly Place[], labels: readonly number[]): number[] | null {
  const rows = vectors(points, labels);
  const found = alternative(rows.rows);
  if (!("w" in found)) return null;
  const middle = labels.includes(1) && labels.includes(-1) ? street(rows) : null;
  return asFloats(middle?.w ?? forExamples(found.w, rows.exponents));
}

/** Every labeling of the points, each decided; those of opposite signs have opposite lines. */
export function labelings(points: readonly Place[]): Labeling[] {
  const P = points.length;
  const half = Array.from({ length: 2 ** Math.max(0, P - 1) }, (_, code): Labeling => {
    const labels = points.map((_, i) => ((code >> i) & 1 ? -1 : 1));
    return { labels, line: lineFor(points, labels) };
  });
  const opposite = (values: number[]): number[] => values.map((v) => -v);
  const others = half.map(({ labels, line }) => ({ labels: opposite(labels), line: line && opposite(line) }));
  return [...half, ...others];
}

/** Points that are not in general position: two on one spot, or three on a line; by number. */
export function dependent(points: readonly Place[]): number[] | null {
  const { rows } = vectors(points);
  const seen = new Map<string, number>();
  for (const [i, row] of rows.entries()) {
    const twin = seen.get(row.join());
    if (twin !== undefined) return [twin, i];
    seen.set(row.join(), i);
  }
  for (let k = 2; k < rows.length; k++) {
    for (let j = 1; j < k; j++) {
      for (let i = 0; i < j; i++) if (area(rows[i], rows[j], rows[k]) === 0n) return [i, j, k];
    }
  }
  return null;
}

function area(a: Vector, b: Vector, c: Vector): bigint {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
