// The lab's module without its page: asked in JSON lines, it answers in JSON lines.
//     node page.mjs LAB.mjs < QUESTIONS
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const lab = await import(pathToFileURL(process.argv[2]));
const bytes = (text) => Uint8Array.from(Buffer.from(text, "base64"));

const pointsOf = ({ X, y }) => ({ n: y.length, p: X[0].length, X: Float64Array.from(X.flat()), y: Int8Array.from(y) });
/** JSON has neither long whole numbers nor typed arrays. */
const plain = (_, value) =>
  typeof value === "bigint" ? String(value) : ArrayBuffer.isView(value) ? Array.from(value) : value;
const names = { features: [], classes: ["-1", "1"] };

const acts = {
  /** The verdict of points, and its certificate. */
  prove({ X, y }) {
    const points = pointsOf({ X, y });
    const features = X[0].map((_, j) => `x${j}`);
    const began = performance.now();
    const proof = lab.prove(points);
    const certificate = JSON.stringify(lab.certificate(proof, points, { ...names, features }));
    const said = lab.check(lab.parseJson(certificate), { X, y });
    return { kind: proof.partition.kind, plane: proof.partition.plane, certificate, said, ms: performance.now() - began };
  },
  /** All that the page shows of a run. */
  answer({ X, y, settings, run }) {
    const columns = { rows: Int32Array.from(run.rows), steps: Float64Array.from(run.steps), start: Float64Array.from(run.start) };
    const found = lab.answer(pointsOf({ X, y }), settings, { ...run, ...columns }, names);
    return { ...found, k: [...found.k], normSq: [...found.normSq], cos: [...found.cos] };
  },
  /** What is said of odd points after k corrections, and of every challenge. */
  guide({ X, y, settings, k }) {
    const points = pointsOf({ X, y });
    const draw = { start: new Float64Array(points.p + 1), seed: "0x0" };
    const own = lab.fromPage(points, settings, draw, { corrections: settings.limit, presentations: 100_000 });
    const result = { ...own, ...lab.answer(points, settings, own, names) };
    const w = new lab.Replay(points, result).at(Math.min(k, result.rows.length));
    const judged = Object.fromEntries(lab.CHALLENGES.map((one) => [one.id, lab.judged(one, points, settings, result)]));
    const before = lab.judged(lab.CHALLENGES[0], points, settings, own).words;
    return { w: [...w], odd: lab.oddities(points, settings, w, result.verdict), judged, before, made: own.rows.length };
  },
  /** What the page proves of its own run, from w = 0. */
  own({ X, y, settings }) {
    const points = pointsOf({ X, y });
    const draw = { start: new Float64Array(points.p + 1), seed: "0x0" };
    const run = lab.fromPage(points, settings, draw, { corrections: settings.limit, presentations: 100_000 });
    const features = X[0].map((_, j) => `x${j}`);
    const { verdict, certificate } = lab.answer(points, settings, run, { ...names, features });
    return { kind: verdict.kind, certificate };
  },
  challenges() {
    return lab.CHALLENGES.map(({ id, X, y }) => ({ id, X, y }));
  },
  check({ certificate, table }) {
    const { answer, words, read } = lab.checkFiles(bytes(certificate), bytes(table));
    return { answer, words, read };
  },
  rivals({ X, y, names }) {
    return lab.rivals(pointsOf({ X, y }), names);
  },
  /** Where point i would leave no line. */
  shadow({ X, y, i, far }) {
    return lab.shadow(pointsOf({ X, y }), i, far);
  },
  /** A table as the page reads it; where it is refused, the sentence. */
  table({ file }) {
    try {
      return lab.readTableFile(bytes(file).buffer, "t.csv");
    } catch (why) {
      return why.message;
    }
  },
  csv({ text, delimiter }) {
    return lab.parseCsv(text, delimiter);
  },
  /** What a room computes. */
  room({ call, given }) {
    return lab.rooms[call](...given);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  console.log(JSON.stringify(acts[question.act](question), plain));
}
