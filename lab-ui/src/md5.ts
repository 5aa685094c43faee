/** MD5 (RFC 1321), by which tables put texts into buckets; it protects nothing. */

const TURNS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
];
const SINES = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));

/** The first four bytes, as the whole number that eight hexadecimal digits are. */
export function md5Start(text: string): number {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, (bytes.length << 3) >>> 0, true);
  view.setUint32(padded.length - 4, Math.floor(bytes.length / 2 ** 29), true);
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let at = 0; at < padded.length; at += 64) block(state, view, at);
  const out = new DataView(new ArrayBuffer(4));
  out.setUint32(0, state[0], true);
  return out.getUint32(0);
}

function block(state: Uint32Array, view: DataView, at: number): void {
  let [a, b, c, d] = state;
  for (let i = 0; i < 64; i++) {
    const round = i >> 4;
    const mixes = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)];
    const word = [i, 5 * i + 1, 3 * i + 5, 7 * i][round] % 16;
    const sum = (a + mixes[round] + SINES[i] + view.getUint32(at + 4 * word, true)) | 0;
    const by = TURNS[round][i % 4];
    [a, d, c, b] = [d, c, b, (b + ((sum << by) | (sum >>> (32 - by)))) | 0];
  }
  [a, b, c, d].forEach((v, i) => (state[i] += v));
}
