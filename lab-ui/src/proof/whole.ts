/** Whole numbers of any length: roots, lengths, and the way to floats and back. */

const ROOT_BITS = 256;

export function abs(v: bigint): bigint {
  return v < 0n ? -v : v;
}

export function largest(values: Iterable<bigint>): bigint {
  let most = 0n;
  for (const v of values) if (abs(v) > most) most = abs(v);
  return most;
}

export function bitLength(v: bigint): number {
  if (v === 0n) return 0;
  const digits = abs(v).toString(16);
  return 4 * digits.length - Math.clz32(parseInt(digits[0], 16)) + 28;
}

export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [abs(a), abs(b)];
  while (y) [x, y] = [y, x % y];
  return x;
}

/** The same direction in the smallest whole numbers; a vector of zeros stays one. */
export function primitive(v: readonly bigint[]): bigint[] {
  let common = 0n;
  for (const one of v) {
    common = gcd(common, one);
    if (common === 1n) return [...v];
  }
  return common > 1n ? v.map((one) => one / common) : [...v];
}

/** ⌊√v⌋. */
export function root(v: bigint): bigint {
  if (v < 2n) return v;
  let guess = 1n << BigInt((bitLength(v) + 1) >> 1); // not below the root: from there Newton's steps only fall
  for (;;) {
    const next = (guess + v / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** Whole numbers [over, under] with √v ≤ over/under, as near as no matter, and equal where v is a square. */
export function rootAbove(v: bigint): [bigint, bigint] {
  const more = BigInt(Math.max(0, ROOT_BITS - bitLength(v)));
  const square = v << (2n * more);
  const below = root(square);
  return [below * below === square ? below : below + 1n, 1n << more];
}

/** ⌊a/b⌋ for b > 0. */
export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** The largest float that is not above a/b, b > 0. */
export function floatBelow(a: bigint, b: bigint): number {
  if (a < 0n) return -floatAbove(-a, b);
  return nonNegative(a, b, false);
}

/** The smallest float that is not below a/b, b > 0. */
export function floatAbove(a: bigint, b: bigint): number {
  if (a < 0n) return -floatBelow(-a, b);
  return nonNegative(a, b, true);
}

/** a/b in 53 bits (fewer below 2^-1022), rounded down or up. */
function nonNegative(a: bigint, b: bigint, up: boolean): number {
  if (a === 0n) return 0;
  let shift = 53 - (bitLength(a) - bitLength(b));
  let quotient = scaled(a, b, shift, up);
  if (bitLength(quotient) > 53) quotient = scaled(a, b, --shift, up);
  if (shift > 1074) quotient = scaled(a, b, (shift = 1074), up);
  const value = Number(quotient);
  return shift > 1000 ? (value * 2 ** -1000) * 2 ** (1000 - shift) : value * 2 ** -shift;
}

function scaled(a: bigint, b: bigint, shift: number, up: boolean): bigint {
  const [over, under] = shift >= 0 ? [a << BigInt(shift), b] : [a, b << BigInt(-shift)];
  return over / under + (up && over % under !== 0n ? 1n : 0n);
}

/** Whole numbers as floats, the largest of them about one. */
export function asFloats(values: readonly bigint[]): number[] {
  const shift = BigInt(Math.max(0, bitLength(largest(values)) - 1000));
  const floats = values.map((v) => Number(v >> shift));
  const most = Math.max(...floats.map(Math.abs)) || 1;
  return floats.map((v) => v / most);
}
