/** The answer for some points: Python’s, or this page’s own before that arrives and where there is no Python. */
import { unpack } from "./pack";
import { learn, type Budget } from "./perceptron";
import { uniform, word } from "./random";
import { resolved, type Points, type Result, type Settings } from "./types";

export function fromPython(buffer: ArrayBuffer): Result {
  const { header, columns } = unpack(buffer);
  const given = header as unknown as Result;
  return {
    ...given,
    mistakes: given.mistakes ?? [],
    passes: given.passes ?? 0,
    eta: given.eta ?? 1,
    seed: given.seed ?? "0x0",
    rivals: given.rivals ?? [],
    witness: given.witness ?? null,
    theorem: given.theorem ?? null,
    rows: columns["rows"] as Int32Array,
    steps: columns["steps"] as Float64Array,
    start: columns["start"] as Float64Array,
    passEnds: (columns["pass_ends"] as Int32Array | undefined) ?? new Int32Array(),
    k: (columns["k"] as Int32Array | undefined) ?? new Int32Array(),
    normSq: (columns["norm_sq"] as Float64Array | undefined) ?? new Float64Array(),
    cos: (columns["cos"] as Float64Array | undefined) ?? new Float64Array(),
  };
}

/** The proofs in an answer: they stay on the page for a moment while a point is dragged. */
export function proofsOf(result: Result): Partial<Result> {
  const { verdict, witness, rivals, theorem, k, normSq, cos } = result;
  return { verdict, witness, theorem, k, normSq, cos, ...(rivals.length > 0 && { rivals }) };
}

export interface Draw {
  start: Float64Array;
  seed: string;
}

/** Starts and seeds that Python drew, by the settings they depend on. */
export class Draws {
  private readonly known = new Map<string, Draw>();

  private key(settings: Settings, d: number): string {
    return `${settings.seed} ${resolved(settings).start} ${d}`;
  }

  remember(settings: Settings, result: Result): void {
    this.known.set(this.key(settings, result.d), { start: result.start, seed: result.seed });
  }

  find(settings: Settings, d: number): Draw | null {
    const { order, start } = resolved(settings);
    const known = this.known.get(this.key(settings, d));
    if (known) return known;
    return order === "cyclic" && start === "zeros" ? { start: new Float64Array(d), seed: "0x0" } : null;
  }

  /** A start drawn by this page, where there is no Python: random like Python’s, with other numbers. */
  make(settings: Settings, d: number): Draw {
    const seed = "0x" + (settings.seed + 1).toString(16);
    const w = Float64Array.from(
      { length: d },
      (_, j) => Math.floor((2 * uniform(word(seed), 1e6 + j) - 1) * 2 ** 24) / 2 ** 24,
    );
    return this.find(settings, d) ?? { start: resolved(settings).start === "random" ? w : new Float64Array(d), seed };
  }
}

/** The run as this page's loop makes it, without proofs. */
export function fromPage(learned: Points, settings: Settings, draw: Draw, budget: Budget): Result {
  const run = learn(learned, settings, draw.start, word(draw.seed), budget);
  const made = `${run.rows.length.toLocaleString("en-US")} correction${run.rows.length === 1 ? "" : "s"}`;
  const endings: Record<typeof run.end, [string, string]> = {
    clean: ["SEPARATED", `no mistake is left after ${made}.`],
    repeat: ["CYCLING", `the weights came back after ${made}: it would go on for ever.`],
    settled: ["BUDGET", `a pass hardly moves the weights any more, after ${made}.`],
    budget: ["BUDGET", `it was stopped after ${made}.`],
  };
  const [name, sentence] = endings[run.end];
  return {
    d: learned.p + 1,
    rows: run.rows,
    steps: run.steps,
    start: draw.start,
    passEnds: run.passEnds,
    mistakes: run.mistakes.slice(0, 2000),
    passes: run.mistakes.length,
    eta: run.eta,
    seed: draw.seed,
    outcome: learned.n === 0 ? null : { name, sentence },
    verdict: null,
    witness: null,
    rivals: [],
    theorem: null,
    k: new Int32Array(),
    normSq: new Float64Array(),
    cos: new Float64Array(),
    seconds: 0,
  };
}
