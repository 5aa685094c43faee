/** What a certificate that holds has proved. */
import type { Fate } from "./coefficients";
import type { Ends } from "./intervals";

const DIGITS = 12;

export function proved(
  kind: "complete" | "quasi" | "overlap",
  n: number,
  plane: number,
  rows: number,
  ends: Partial<Record<"margin" | "street", Ends>>,
  fates: Fate[],
): string {
  const told = {
    complete: `complete: w has each of the ${n} rows strictly on its side`,
    quasi: `quasi: no row is on the wrong side, ${plane} of ${n} rows lie on every such hyperplane`,
    overlap: `overlap: ${rows} rows have mixtures that coincide; no hyperplane separates, not even touching`,
  };
  const parts = [told[kind]];
  if (ends.margin) parts.push(`the theorem's margin lies between ${between(ends.margin)}`);
  if (ends.street) parts.push(`half the width of the widest street lies between ${between(ends.street)}`);
  return parts.join(", and ") + (fates.length > 0 ? `; of ${fates.length} coefficients ${counted(fates)}` : "");
}

function between([lower, upper]: Ends): string {
  return `${rounded(lower, false)} and ${rounded(upper, true)}`;
}

const WORDS: Record<Fate, [string, string]> = {
  finite: ["is finite", "are finite"],
  "+inf": ["runs to +∞", "run to +∞"],
  "-inf": ["runs to −∞", "run to −∞"],
  undetermined: ["is undetermined", "are undetermined"],
  "not identified": ["is not identified", "are not identified"],
};

function counted(fates: Fate[]): string {
  const counts = (Object.keys(WORDS) as Fate[]).map((kind) => ({ kind, many: fates.filter((f) => f === kind).length }));
  return counts
    .filter(({ many }) => many > 0)
    .map(({ kind, many }) => `${many} ${WORDS[kind][many > 1 ? 1 : 0]}`)
    .join(", ");
}

/** over/under in 12 digits, rounded outward: the sentence is true too. */
export function rounded([over, under]: [bigint, bigint], up: boolean): string {
  if (over === 0n) return "0";
  let exponent = over.toString().length - under.toString().length - DIGITS;
  let digits = scaled(over, under, exponent, up);
  // the leading digit may be one place further left, or rounding up may have made a thirteenth
  if (digits.value.toString().length < DIGITS) digits = scaled(over, under, --exponent, up);
  if (digits.value.toString().length > DIGITS) digits = scaled(over, under, ++exponent, up);
  let { value } = digits;
  if (digits.exact) {
    for (; exponent < 0 && value % 10n === 0n; exponent++) value /= 10n;
    for (; exponent > 0 && (value * 10n).toString().length <= DIGITS; exponent--) value *= 10n;
  }
  return written(value.toString(), exponent);
}

/** over/under/10^exponent. */
function scaled(over: bigint, under: bigint, exponent: number, up: boolean): { value: bigint; exact: boolean } {
  const [a, b] = exponent < 0 ? [over * 10n ** BigInt(-exponent), under] : [over, under * 10n ** BigInt(exponent)];
  const exact = a % b === 0n;
  return { value: a / b + (up && !exact ? 1n : 0n), exact };
}

function written(digits: string, exponent: number): string {
  const left = digits.length + exponent; // digits before the point
  if (exponent <= 0 && left > -6) {
    if (left <= 0) return `0.${"0".repeat(-left)}${digits}`;
    return exponent === 0 ? digits : `${digits.slice(0, left)}.${digits.slice(left)}`;
  }
  const power = left - 1;
  return `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}
