/** The rows z in whole numbers of one unit: Z = z·unit. A float is the fraction it is, or the decimal it stands for. */
import { Refused } from "./reading";

const LARGEST_DECIMAL = 10n ** 15n;

/** over/under, under a power of two. */
function fraction(v: number): { over: bigint; under: bigint } {
  let whole = v,
    doublings = 0;
  for (; !Number.isInteger(whole); doublings++) whole *= 2; // exact, and it ends
  return { over: BigInt(whole), under: 1n << BigInt(doublings) };
}

export function wholeRows(
  X: number[][],
  y: number[],
  bias: boolean,
  powers: (bigint | null)[] | null,
): { Z: bigint[][]; unit: bigint } {
  const most = (powers ?? []).reduce<bigint>((k, one) => (one !== null && one > k ? one : k), 0n);
  const ten = 10n ** most; // times this no decimal is left
  const read = X.map((x) =>
    x.map((v, j) => {
      const k = powers?.[j] ?? null;
      if (k === null) return fraction(v);
      return { over: decimal(v, k) * 10n ** (most - k), under: ten }; // m/10^k
    }),
  );
  let two = 1n; // the largest power of two under a float
  const isFloat = (j: number): boolean => (powers?.[j] ?? null) === null;
  read.forEach((row) => row.forEach(({ under }, j) => (two = isFloat(j) && under > two ? under : two)));
  const unit = ten * two;
  const Z = read.map((row, i) => {
    const sign = BigInt(y[i]);
    const z = row.map(({ over, under }) => sign * over * (unit / under));
    return bias ? [...z, sign * unit] : z;
  });
  return { Z, unit };
}

/** The m of the decimal m/10^k that the float stands for: the whole number nearest to v·10^k. */
function decimal(v: number, k: bigint): bigint {
  const { over, under } = fraction(v);
  const doubled = 2n * over * 10n ** k + under;
  const quotient = doubled / (2n * under);
  const m = doubled % (2n * under) < 0n ? quotient - 1n : quotient;
  // two whole numbers below 2^53 are exact floats, and floats divide with one rounding
  const short = m <= LARGEST_DECIMAL && -m <= LARGEST_DECIMAL;
  const stands = k === 0n ? under === 1n : short && Number(m) / Number(10n ** k) === v;
  if (!stands) throw new Refused(`${v} is not a decimal with ${k} digits after the point`);
  return m;
}
