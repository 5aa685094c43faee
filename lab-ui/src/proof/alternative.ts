/** Gordan's alternative, exactly: a w with z·w > 0 for every row, or λ > 0 on some rows with Σ λz = 0. Never both. */
import { FLOATS, WHOLE } from "./arithmetic";
import { Simplex, type Optimum } from "./simplex";
import { bitLength, largest } from "./whole";

export type Alternative = { w: bigint[] } | { mixture: Map<number, bigint> };

/** Floats suggest where to begin; the whole numbers decide, and go on from there where floats were wrong. */
export function alternative(rows: readonly bigint[][]): Alternative {
  const hint = suggested(rows);
  let exact = new Simplex(WHOLE, rows);
  if (hint && !exact.begin(hint.basis)) exact = new Simplex(WHOLE, rows);
  const { w, value, lambda } = exact.run(Infinity)!; // Bland's rule ends
  return value > 0n ? { w } : { mixture: lambda };
}

/** Whether floats see a w with z·w > 0 for every row. */
export function seemsSeparable(rows: readonly bigint[][]): boolean {
  return (suggested(rows)?.value ?? 0) > 0;
}

function suggested(rows: readonly bigint[][]): Optimum<number> | null {
  return new Simplex(FLOATS, columnsNearOne(rows)).run(20 * (rows.length + rows[0].length));
}

/** The rows as floats, each column's largest value about one. */
function columnsNearOne(rows: readonly bigint[][]): number[][] {
  const shifts = rows[0].map((_, j) => bitLength(largest(rows.map((row) => row[j]))) - 60);
  return rows.map((row) =>
    row.map((v, j) => Number(shifts[j] > 0 ? v >> BigInt(shifts[j]) : v << BigInt(-shifts[j])) / 2 ** 60),
  );
}
