/** What a verdict is worth: whether shuffled labels would have been separable too; the twin of verdicts/words.py. */
import type { Points } from "../types";
import { bitLength } from "./whole";

const CUT_OFF = -2; // log10 of the chance up to which a separation is more than chance
const CERTAIN = Math.log10(0.99); // a bound from here on excludes nothing
const POWERS = 6; // digits from which 1 in 10^6 reads better than 1 in 1,000,000
const EASE = 1e-9; // 1 in 100, computed in floats, is not 1 in 99

export function worth({ n, p, X, y }: Points, kind: "complete" | "quasi" | "overlap"): string {
  const rows = Array.from({ length: n }, (_, i) => X.subarray(i * p, (i + 1) * p).join());
  const different = new Set(rows).size;
  const kinds = new Set(rows.filter((_, i) => y[i] > 0)).size; // of the different rows, those of a positive one
  const d = p + 1;
  const positive = y.reduce((sum, v) => sum + (v > 0 ? 1 : 0), 0);
  const labelings = log10Count(different, Math.min(d, different));
  const bound = (rows: number, of: number) =>
    // of two opposite labelings only one has these class sizes
    Math.min(0, labelings - (2 * of === rows ? 0 : Math.log10(2)) - log10Orders(rows, of));
  const sizes = bound(n, positive);
  const copies = different < n ? bound(different, kinds) : null;
  const points = `${copies === null ? "" : `${plural(n, "row")} at `}${plural(different, "point")}`;
  const where = `${points} in ${plural(p, "dimension")} (${plural(d, "weight")} with the intercept)`;
  return `${where}: ${said(sizes, copies, different <= d)}. ${judged(kind, sizes <= CUT_OFF, copies)}`;
}

function said(bound: number, copies: number | null, few: boolean): string {
  if (bound < CERTAIN) {
    const alone = copies === null ? "" : `; if equal rows are copies, at most ${chance(copies)}`;
    return `with the labels shuffled, the chance of complete separability is at most ${chance(bound)}${alone}`;
  }
  return few
    ? "so few points may be completely separable whatever their labels"
    : "labels shuffled with these class sizes may all be completely separable";
}

function judged(kind: "complete" | "quasi" | "overlap", more: boolean, copies: number | null): string {
  if (kind === "complete") {
    if (more && copies !== null && copies > CUT_OFF) {
      return "So this is more than chance if equal rows were observed one by one, and not shown to be if they are copies.";
    }
    return more
      ? "So this is more than chance."
      : "So this is not shown to be more than chance; rb.cover.permutation_test counts it by shuffling.";
  }
  if (!more) return "These are not completely separable.";
  const uncounted = kind === "quasi" ? "; how often chance gives a quasi-separation is not counted" : "";
  return `These are not completely separable, and shuffled labels rarely are${uncounted}.`;
}

/** log10 of Cover's C(P, N) = 2 Σ_{k<N} binom(P − 1, k), the sum in whole numbers. */
function log10Count(P: number, N: number): number {
  if (P <= N) return P * Math.log10(2);
  let total = 1n,
    term = 1n;
  for (let k = 1; k < N; k++) {
    term = (term * BigInt(P - k)) / BigInt(k);
    total += term;
  }
  const shift = Math.max(0, bitLength(total) - 64);
  return Math.log10(Number(total >> BigInt(shift))) + (shift + 1) * Math.log10(2);
}

/** log10 of the orders of n labels, `positive` of one kind. */
function log10Orders(n: number, positive: number): number {
  let sum = 0;
  for (let i = 1; i <= Math.min(positive, n - positive); i++) sum += Math.log10((n - i + 1) / i);
  return sum;
}

/** A chance, rounded up in its second digit, so that "at most" stays true: 41 %, 1 in 250, 1 in 10^12. */
export function chance(log10: number): string {
  const digits = -log10;
  if (digits < 2) {
    const percent = 10 ** (2 - digits);
    const step = percent >= 10 ? 1 : 0.1;
    return `${Number((-Math.floor(-percent / step + EASE) * step).toPrecision(3))} %`;
  }
  if (digits >= POWERS) return `1 in 10^${grouped(Math.floor(digits + EASE))}`;
  const unit = 10 ** (Math.floor(digits + EASE) - 1);
  return `1 in ${grouped(Math.floor(10 ** digits / unit + EASE) * unit)}`;
}

function plural(value: number, name: string): string {
  return `${grouped(value)} ${name}${value === 1 ? "" : "s"}`;
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}
