/** The run on some points: this page’s own, or Python’s with its proofs where there are more than the page proves. */
import { unpack } from "./pack";
import { learn, type Budget, type Run } from "./perceptron";
import { uniform, word } from "./random";
import { Replay } from "./replay";
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

export interface Draw {
  start: Float64Array;
  seed: string;
}

/** The start and the seed of the order that settings ask for. */
export function drawOf(settings: Settings, d: number): Draw {
  const { order, start } = resolved(settings);
  if (order === "cyclic" && start === "zeros") return { start: new Float64Array(d), seed: "0x0" };
  const seed = "0x" + (settings.seed + 1).toString(16);
  const drawn = (j: number): number => Math.floor((2 * uniform(word(seed), 1e6 + j) - 1) * 2 ** 24) / 2 ** 24;
  return { start: Float64Array.from({ length: d }, (_, j) => (start === "random" ? drawn(j) : 0)), seed };
}

/** The run as this page's loop makes it, without proofs. */
export function fromPage(learned: Points, settings: Settings, draw: Draw, budget: Budget): Result {
  const run = learn(learned, settings, draw.start, word(draw.seed), budget);
  const made = `${run.rows.length.toLocaleString("en-US")} correction${run.rows.length === 1 ? "" : "s"}`;
  const tooLarge = ["BUDGET", `the step is too large: after ${made} the weights are beyond 10^100.`];
  const endings: Record<typeof run.end, [string, string]> = {
    clean: ["SEPARATED", `no mistake is left after ${made}.`],
    repeat: ["CYCLING", `the weights came back after ${made}: it would go on for ever.`],
    settled: ["BUDGET", `a pass hardly moves the weights any more, after ${made}.`],
    budget: ["BUDGET", `it was stopped after ${made}.`],
  };
  const [name, sentence] = run.end === "budget" && overflows(learned, run, draw) ? tooLarge : endings[run.end];
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

const BEYOND = 1e100;

/** Whether a run ended because its weights grew out of all bounds. */
function overflows(points: Points, run: Run, { start }: Draw): boolean {
  return new Replay(points, { ...run, start }).at(run.rows.length).some((v) => Math.abs(v) > BEYOND);
}
