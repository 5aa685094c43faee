/** A float is a whole number times a power of two; so are the examples z = y·(x, 1), exactly. */
import type { Points } from "../types";

const view = new DataView(new ArrayBuffer(8));

/** v = whole·2^exponent, as few bits as possible; zero has exponent 0. */
export function split(v: number): { whole: bigint; exponent: number } {
  if (v === 0) return { whole: 0n, exponent: 0 };
  view.setFloat64(0, v);
  const high = view.getUint32(0),
    low = view.getUint32(4);
  const biased = (high >>> 20) & 0x7ff;
  const mantissa = (high & 0xfffff) + (biased ? 0x100000 : 0);
  const zeros = low ? trailing(low) : 32 + trailing(mantissa);
  const size = (BigInt(mantissa) << 32n) | BigInt(low);
  const whole = size >> BigInt(zeros);
  return { whole: high >>> 31 ? -whole : whole, exponent: Math.max(1, biased) - 1075 + zeros };
}

function trailing(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** Rows of whole numbers: z_ij = rows[i][j]·2^exponents[j], the bias last. */
export interface Examples {
  rows: bigint[][];
  exponents: number[];
}

export function examples({ n, p, X, y }: Points): Examples {
  const parts = Array.from({ length: n * p }, (_, k) => split(X[k]));
  const exponents = Array.from({ length: p + 1 }, (_, j) => {
    let low = j === p ? 0 : Infinity;
    for (let i = 0; i < n && j < p; i++) {
      const { whole, exponent } = parts[i * p + j];
      if (whole) low = Math.min(low, exponent);
    }
    return Number.isFinite(low) ? low : 0;
  });
  const rows = Array.from({ length: n }, (_, i) => {
    const sign = BigInt(y[i]);
    const row = Array.from({ length: p }, (_, j) => {
      const { whole, exponent } = parts[i * p + j];
      return whole ? (sign * whole) << BigInt(exponent - exponents[j]) : 0n;
    });
    return [...row, sign];
  });
  return { rows, exponents };
}

/** Weights for the examples themselves, from weights for their rows of whole numbers. */
export function forExamples(w: readonly bigint[], exponents: readonly number[]): bigint[] {
  const most = Math.max(...exponents);
  return w.map((v, j) => v << BigInt(most - exponents[j]));
}

/** The rows in one unit for all columns: z = row/2^shift. */
export function inOneUnit({ rows, exponents }: Examples): { rows: bigint[][]; shift: number } {
  const least = Math.min(...exponents); // not above zero, the bias's
  return { rows: rows.map((row) => row.map((v, j) => v << BigInt(exponents[j] - least))), shift: -least };
}
