/** The rows (−1, …, −1, 1, 0, …, 0): n of them, and the perceptron makes at least (4ⁿ − 1)/3 corrections. */
import { alternative } from "../proof/alternative";
import { dot, WHOLE } from "../proof/arithmetic";

export const CLIMBED = 10; // rows up to which the perceptron runs here
export const STEPS: [number, number] = [2, 40];

export function staircase(n: number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (j < i ? -1 : j === i ? 1 : 0)));
}

/** w_n is at least 2ⁿ⁻¹ in every solution, and each row's corrections are its weight and all later rows' corrections. */
export function leastCorrections(n: number): bigint {
  return (4n ** BigInt(n) - 1n) / 3n;
}

/** The corrections of a run in turn from w = 0, without an intercept; all rows are of one class. */
export function climb(n: number): number {
  const rows = staircase(n);
  const w = new Float64Array(n);
  for (let made = 0, quiet = 0, i = 0; ; i = (i + 1) % n) {
    const z = rows[i];
    let s = 0;
    for (let j = 0; j <= i; j++) s += z[j] * w[j];
    if (s <= 0) {
      for (let j = 0; j <= i; j++) w[j] += z[j];
      made++;
      quiet = 0;
    } else if (++quiet === n) return made;
  }
}

/** Whole numbers w with z·w > 0 for every row, found and checked without any rounding; null where there are none. */
export function decided(n: number): bigint[] | null {
  const rows = staircase(n).map((row) => row.map(BigInt));
  const found = alternative(rows);
  return "w" in found && rows.every((z) => dot(WHOLE, z, found.w) > 0n) ? found.w : null;
}
