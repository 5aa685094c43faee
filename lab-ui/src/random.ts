/** SplitMix64 by position, as in kernels/rows.py: the t-th number of [0, 1) of a seed, with the same bits. */

/** 64 bits as two halves, since a JavaScript number holds 53. */
export type Word = readonly [high: number, low: number];

export function word(hexadecimal: string): Word {
  const value = BigInt(hexadecimal);
  return [Number((value >> 32n) & 0xffffffffn), Number(value & 0xffffffffn)];
}

function add([ah, al]: Word, [bh, bl]: Word): Word {
  const low = (al >>> 0) + (bl >>> 0);
  return [(ah + bh + (low > 0xffffffff ? 1 : 0)) >>> 0, low >>> 0];
}

function multiply([ah, al]: Word, [bh, bl]: Word): Word {
  const a0 = al & 0xffff,
    a1 = al >>> 16,
    b0 = bl & 0xffff,
    b1 = bl >>> 16;
  const p00 = a0 * b0,
    p01 = a0 * b1,
    p10 = a1 * b0;
  const middle = (p00 >>> 16) + (p01 & 0xffff) + (p10 & 0xffff);
  const high = a1 * b1 + (p01 >>> 16) + (p10 >>> 16) + (middle >>> 16);
  return [(high + Math.imul(ah, bl) + Math.imul(al, bh)) >>> 0, ((middle << 16) | (p00 & 0xffff)) >>> 0];
}

/** z ^ (z >> by), 0 < by < 32. */
function fold([h, l]: Word, by: number): Word {
  return [(h ^ (h >>> by)) >>> 0, (l ^ ((l >>> by) | (h << (32 - by)))) >>> 0];
}

export function uniform(seed: Word, t: number): number {
  const place: Word = [Math.floor((t + 1) / 4294967296), (t + 1) >>> 0];
  let z = add(seed, multiply(place, [0x9e3779b9, 0x7f4a7c15]));
  z = multiply(fold(z, 30), [0xbf58476d, 0x1ce4e5b9]);
  z = multiply(fold(z, 27), [0x94d049bb, 0x133111eb]);
  z = fold(z, 31);
  return (z[0] * 2097152 + (z[1] >>> 11)) / 9007199254740992;
}
