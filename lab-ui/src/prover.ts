/** Where the page's proofs are made: at once where that is quick, in a worker where it is not. */
import { answer, type Proved } from "./proof/answer";
import type { Names } from "./proof/certificate";
import { Replay } from "./replay";
import { rivals } from "./rivals";
import { twoClasses, type Points, type Result, type Rival, type Settings } from "./types";

export interface Question {
  points: Points;
  /** All rows, where the points are a sample of them: the verdict is about these. */
  whole: Points | null;
  settings: Settings;
  run: Result;
  names: Names;
}

/** What is proved about points and a run, with the lines that are compared with. */
export type Found = Proved & { rivals: Rival[] };

export function proofsAtOnce({ points, whole, settings, run, names }: Question): Found {
  const lines = twoClasses(points) ? rivals(points, settings.rivals) : [];
  const found = { ...answer(points, settings, run, names), rivals: lines };
  if (!whole) return found;
  const unmoved = { ...run, rows: new Int32Array(), steps: new Float64Array() };
  const { verdict, certificate } = answer(whole, settings, unmoved, names, new Replay(points, run).at(run.rows.length));
  return { ...found, verdict, certificate, witness: null };
}

export class Prover {
  private worker: Worker | null | undefined; // null where none can be made
  private done: (found: Found) => void = () => undefined;
  private question: Question | null = null;

  constructor(private readonly make: () => Worker) {}

  /** One question at a time. */
  ask(question: Question): Promise<Found> {
    return new Promise((done) => {
      this.done = done;
      this.question = question;
      this.worker ??= this.made();
      if (this.worker) this.worker.postMessage(question);
      else this.alone();
    });
  }

  private made(): Worker | null {
    if (this.worker === null) return null;
    try {
      const worker = this.make();
      worker.onmessage = ({ data }: MessageEvent<Found>) => this.done(data);
      worker.onerror = () => {
        this.worker = null;
        this.alone();
      };
      return worker;
    } catch {
      return null;
    }
  }

  /** Without a worker the page waits for its proof, and is drawn first. */
  private alone(): void {
    setTimeout(() => this.done(proofsAtOnce(this.question!)), 30);
  }
}

/** The worker's end. */
export function answerQuestions(scope: { onmessage: unknown; postMessage(found: Found): void }): void {
  scope.onmessage = ({ data }: MessageEvent<Question>): void => scope.postMessage(proofsAtOnce(data));
}
