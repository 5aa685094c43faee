/** Signals for the filters, the room they pass, and what frequencies they have. */
import { uniform, word } from "../random";

export const RATE = 8000; // samples a second
export const LENGTH = 6000;

/** Normal numbers by Box and Muller, the same at every visit. */
function normals(seed: string, n: number): Float64Array {
  const key = word(seed);
  return Float64Array.from({ length: n }, (_, t) => {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform(key, 2 * t)));
    return radius * Math.cos(2 * Math.PI * uniform(key, 2 * t + 1));
  });
}

function scaled(u: Float64Array): Float64Array {
  const power = u.reduce((sum, v) => sum + v * v, 0) / u.length;
  return u.map((v) => v / Math.sqrt(power));
}

/** Each sample keeps most of the one before. */
function coloured(u: Float64Array): Float64Array {
  let last = 0;
  return u.map((v) => (last = 0.9 * last + v));
}

/** Four plucked notes. */
function melody(n: number): Float64Array {
  const noise = normals("0x5", n);
  return Float64Array.from({ length: n }, (_, t) => {
    const at = t % 1500;
    const tone = [262, 330, 392, 523][Math.floor(t / 1500) % 4];
    const turn = (2 * Math.PI * tone * at) / RATE;
    const fall = Math.exp(-at / 500);
    return fall * (Math.sin(turn) + 0.5 * Math.sin(2 * turn) + 0.3 * Math.sin(3 * turn)) + 0.02 * noise[t];
  });
}

/** Signals of power one. */
export const SIGNALS: Record<string, () => Float64Array> = {
  "white noise": () => scaled(normals("0x1", LENGTH)),
  "coloured noise": () => scaled(coloured(normals("0x1", LENGTH))),
  "plucked notes": () => scaled(melody(LENGTH)),
};

/** The room: what arrives of a clap, now and later. */
export const ROOM: Float64Array = normals("0x7", 12).map((v, j) => (j < 2 ? 0 : v * 0.8 ** (j - 2)));

/** What a microphone in the room hears of u, with some noise of its own. */
export function heard(u: Float64Array, noise: number): Float64Array {
  const own = normals("0x9", u.length);
  return u.map((_, n) => {
    let sum = noise * own[n];
    for (let j = 0; j < ROOM.length && j <= n; j++) sum += ROOM[j] * u[n - j];
    return sum;
  });
}

/** |FFT|² of the samples of a power of two in number, under a Hann window, for frequencies 0 … half the rate. */
export function spectrum(samples: ArrayLike<number>): Float64Array {
  const n = samples.length;
  const re = Float64Array.from({ length: n }, (_, t) => samples[t] * Math.sin((Math.PI * t) / n) ** 2);
  const im = new Float64Array(n);
  transform(re, im);
  return Float64Array.from({ length: n / 2 + 1 }, (_, k) => re[k] ** 2 + im[k] ** 2);
}

/** The discrete Fourier transform in place, by halves. */
function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  if (n === 1) return;
  const half = (of: Float64Array, odd: number): Float64Array =>
    Float64Array.from({ length: n / 2 }, (_, k) => of[2 * k + odd]);
  const [re0, im0, re1, im1] = [half(re, 0), half(im, 0), half(re, 1), half(im, 1)];
  transform(re0, im0);
  transform(re1, im1);
  for (let k = 0; k < n / 2; k++) {
    const [c, s] = [Math.cos((2 * Math.PI * k) / n), Math.sin((2 * Math.PI * k) / n)];
    const [a, b] = [c * re1[k] + s * im1[k], c * im1[k] - s * re1[k]];
    [re[k], im[k], re[k + n / 2], im[k + n / 2]] = [re0[k] + a, im0[k] + b, re0[k] - a, im0[k] - b];
  }
}
