/**
 * One algorithm, two kinds of numbers: floats are fast and suggest, whole numbers are exact and decide.
 *
 * The algorithms over them divide only where nothing is left over (integer pivoting), so whole numbers stay whole.
 */
import { bitLength, largest } from "./whole";

export interface Arithmetic<T> {
  readonly zero: T;
  readonly one: T;
  plus(a: T, b: T): T;
  minus(a: T, b: T): T;
  times(a: T, b: T): T;
  /** a/b, which leaves nothing over. */
  over(a: T, b: T): T;
  /** Whether a < b by more than rounding could explain; `size` is the unit of what is compared. */
  below(a: T, b: T, size: T): boolean;
  /** A mixture as long as it need be. */
  shortened(parts: T[]): T[];
}

const TOLERANCE = 1e-10;

export const FLOATS: Arithmetic<number> = {
  zero: 0,
  one: 1,
  plus: (a, b) => a + b,
  minus: (a, b) => a - b,
  times: (a, b) => a * b,
  over: (a, b) => a / b,
  below: (a, b, size) => a < b - TOLERANCE * size,
  shortened: (parts) => parts,
};

export const WHOLE: Arithmetic<bigint> = {
  zero: 0n,
  one: 1n,
  plus: (a, b) => a + b,
  minus: (a, b) => a - b,
  times: (a, b) => a * b,
  over: (a, b) => a / b,
  below: (a, b) => a < b,
  shortened: (parts) => parts,
};

const SHORT = 192; // bits of a mixture
const FINE = 100n; // bits to which it then is the best

/** Whole numbers of a few hundred bits, exact but for mixtures, which are others, as near as no matter. */
export const SHORTENED: Arithmetic<bigint> = {
  ...WHOLE,
  below: (a, b, size) => a < b - (size >> FINE),
  shortened: (parts) => {
    const shift = BigInt(bitLength(largest(parts)) - SHORT);
    return shift > 0n ? parts.map((v) => (v >> shift) + 1n) : parts; // none of them becomes zero
  },
};

export function dot<T>({ zero, plus, times }: Arithmetic<T>, a: readonly T[], b: readonly T[]): T {
  let sum = zero;
  for (let j = 0; j < a.length; j++) sum = plus(sum, times(a[j], b[j]));
  return sum;
}

/** Σ factor·vector, of d entries. */
export function mixed<T>(numbers: Arithmetic<T>, factors: readonly T[], vectors: readonly T[][], d: number): T[] {
  const total = new Array<T>(d).fill(numbers.zero);
  vectors.forEach((v, k) => {
    for (let j = 0; j < d; j++) total[j] = numbers.plus(total[j], numbers.times(factors[k], v[j]));
  });
  return total;
}
