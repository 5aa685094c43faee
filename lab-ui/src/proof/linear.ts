/** Linear systems in whole numbers, without fractions: every division leaves nothing over (Bareiss 1968). */
import { primitive } from "./whole";

interface Echelon {
  rows: bigint[][];
  /** The column of each row's pivot; all pivots are `pivot`, and their columns have nothing else. */
  columns: number[];
  pivot: bigint;
}

/** Reduced rows with the same span; pivots are sought in the first `width` columns. */
function echelon(given: readonly bigint[][], width: number): Echelon {
  const rows = given.map((row) => [...row]);
  const columns: number[] = [];
  let pivot = 1n;
  for (let j = 0; j < width && columns.length < rows.length; j++) {
    const r = columns.length;
    const at = rows.findIndex((row, i) => i >= r && row[j] !== 0n);
    if (at < 0) continue;
    [rows[r], rows[at]] = [rows[at], rows[r]];
    const next = rows[r][j];
    rows.forEach((row, i) => {
      if (i === r) return;
      const factor = row[j];
      for (let k = 0; k < row.length; k++) row[k] = (row[k] * next - factor * rows[r][k]) / pivot;
    });
    pivot = next;
    columns.push(j);
  }
  return { rows, columns, pivot };
}

/** Independent whole v, as many as there are, with row·v = 0 on all rows. */
export function nullSpace(rows: readonly bigint[][], d: number): bigint[][] {
  const { rows: reduced, columns, pivot } = echelon(rows, d);
  const free = Array.from({ length: d }, (_, j) => j).filter((j) => !columns.includes(j));
  return free.map((f) => {
    const v = new Array<bigint>(d).fill(0n);
    v[f] = pivot;
    columns.forEach((j, k) => (v[j] = -reduced[k][f]));
    return primitive(v);
  });
}

/** Whole c and under > 0 with Σ c·vector = under·target, zero where a vector is not needed; null if there are none. */
export function solve(vectors: readonly bigint[][], target: readonly bigint[]): { c: bigint[]; under: bigint } | null {
  const system = target.map((t, j) => [...vectors.map((v) => v[j]), t]);
  const { rows, columns, pivot } = echelon(system, vectors.length);
  if (rows.some((row, i) => i >= columns.length && row[vectors.length] !== 0n)) return null;
  const sign = pivot < 0n ? -1n : 1n;
  const c = new Array<bigint>(vectors.length).fill(0n);
  columns.forEach((j, k) => (c[j] = sign * rows[k][vectors.length]));
  return { c, under: sign * pivot };
}
