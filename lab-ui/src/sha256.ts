/** SHA-256 (FIPS 180-4). The browser's own is missing on pages without HTTPS, and is asynchronous. */

function primes(count: number): number[] {
  const found: number[] = [];
  for (let v = 2; found.length < count; v++) if (found.every((p) => v % p)) found.push(v);
  return found;
}

/** The first 32 bits of a root's fraction: floats have them right, as they have 53. */
function fraction(v: number): number {
  return ((v % 1) * 2 ** 32) >>> 0;
}

const ROUNDS = primes(64).map((p) => fraction(Math.cbrt(p)));
const START = primes(8).map((p) => fraction(Math.sqrt(p)));

function turned(v: number, by: number): number {
  return (v >>> by) | (v << (32 - by));
}

function block(state: Uint32Array, view: DataView, at: number, w: Uint32Array): void {
  for (let t = 0; t < 16; t++) w[t] = view.getUint32(at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const a = w[t - 15],
      b = w[t - 2];
    const s0 = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3),
      s1 = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  let a = state[0],
    b = state[1],
    c = state[2],
    d = state[3],
    e = state[4],
    f = state[5],
    g = state[6],
    h = state[7];
  for (let t = 0; t < 64; t++) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25),
      s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + w[t]) | 0;
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((v, i) => (state[i] += v));
}

export function sha256(bytes: Uint8Array): string {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const state = Uint32Array.from(START),
    w = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) block(state, view, at, w);
  return [...state].map((v) => v.toString(16).padStart(8, "0")).join("");
}
