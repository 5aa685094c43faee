/** What a certificate may be made of, and what is refused. */
import type { Json, JsonObject } from "./json";

/** The certificate does not hold; the message says why. */
export class Refused extends Error {}

/** Another checker must be asked. */
export class NotRead extends Error {}

/** The certificate is about other data. */
export class OtherData extends Error {}

const LONGEST_NUMBER = 1 << 16; // hexadecimal digits, or this many for each weight if that is more
const DIGITS_A_WEIGHT = 1 << 10;
const PRIME = (1n << 61n) - 1n;

type Kind = "text" | "whole" | "boolean" | "list" | "object";

function kindOf(value: Json | undefined): Kind | null {
  if (typeof value === "string") return "text";
  if (typeof value === "bigint") return "whole";
  if (typeof value === "boolean") return "boolean";
  if (Array.isArray(value)) return "list";
  return value instanceof Map ? "object" : null;
}

export function field(certificate: Json, name: string, kind: Kind): Json {
  const value = certificate instanceof Map ? certificate.get(name) : undefined;
  if (value === undefined || kindOf(value) !== kind) throw new Refused(`its ${name} is missing or of the wrong kind`);
  return value;
}

/** An object with all the needed fields, and no others than the allowed ones. */
export function onlyFields(given: Json | undefined, needed: string[], allowed: string[], why: string): JsonObject {
  const names = given instanceof Map ? [...given.keys()] : null;
  const complete = names && needed.every((name) => names.includes(name));
  if (!complete || !names.every((name) => needed.includes(name) || allowed.includes(name))) throw new Refused(why);
  return given as JsonObject;
}

export function list(value: Json | undefined, longest: number | bigint): Json[] {
  if (!Array.isArray(value) || BigInt(value.length) > BigInt(longest)) {
    throw new Refused("a list is missing or too long");
  }
  return value;
}

/** The whole numbers of a list. */
export function elements(values: Json[]): bigint[] {
  return values.filter((v): v is bigint => typeof v === "bigint");
}

/** A whole number in hexadecimal. */
export function number(text: Json | undefined, d: number): bigint {
  if (typeof text !== "string" || !/^-?0x[0-9a-fA-F]+$/.test(text)) {
    throw new Refused("a number is not written in hexadecimal");
  }
  if (text.length > Math.max(LONGEST_NUMBER, DIGITS_A_WEIGHT * d)) {
    throw new Refused(`a number has ${text.length} digits: no proof with ${d} weights needs so many`);
  }
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

/** d whole numbers, not all zero. */
export function vector(value: Json | undefined, d: number): bigint[] {
  const numbers = list(value, d).map((v) => number(v, d));
  if (numbers.length !== d || numbers.every((v) => v === 0n)) {
    throw new Refused("a vector has the wrong length or is zero");
  }
  return numbers;
}

export function dotWhole(a: bigint[], b: bigint[]): bigint {
  return a.reduce((sum, v, j) => sum + v * b[j], 0n);
}

export function signOf(v: bigint): number {
  return v > 0n ? 1 : v < 0n ? -1 : 0;
}

/** The vectors of null, 0 on the plane and independent; with the rank of some rows they make up all d dimensions. */
export function spans(
  some: number[],
  given: Json | undefined,
  { Z, d }: { Z: bigint[][]; d: number },
  plane: number[],
): bigint[][] {
  const nothing = list(given, d).map((v) => vector(v, d));
  if (rank(nothing) < nothing.length) throw new Refused("directions to which rows do not respond are dependent");
  if (plane.some((i) => nothing.some((v) => dotWhole(Z[i], v) !== 0n))) {
    throw new Refused("a row responds to a direction to which it should not");
  }
  if (rank(some.map((i) => Z[i])) < d - nothing.length) throw new Refused("some rows do not span the others");
  return nothing;
}

/** Rank modulo a prime: never more than the rank. */
function rank(given: bigint[][]): number {
  const rows = given.map((row) => row.map((v) => ((v % PRIME) + PRIME) % PRIME));
  let found = 0;
  for (let j = 0; rows.length > found && j < rows[0].length; j++) {
    const at = rows.findIndex((row, i) => i >= found && row[j] !== 0n);
    if (at < 0) continue;
    [rows[found], rows[at]] = [rows[at], rows[found]];
    const [top, inverse] = [rows[found], power(rows[found][j], PRIME - 2n)];
    for (const row of rows.slice(found + 1)) {
      if (row[j] === 0n) continue;
      const factor = (row[j] * inverse) % PRIME;
      for (let k = j; k < row.length; k++) row[k] = (row[k] + (PRIME - factor) * top[k]) % PRIME;
    }
    found++;
  }
  return found;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [b, e] = [base, exponent]; e > 0n; [b, e] = [(b * b) % PRIME, e >> 1n]) {
    if (e & 1n) result = (result * b) % PRIME;
  }
  return result;
}
