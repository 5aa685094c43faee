/** The questions about the points at hand: the run at once, the proofs by this page's own prover wherever it can. */
import { drawOf, fromPage, fromPython } from "./answer";
import type { Data } from "./data";
import { expand } from "./features";
import type { Host } from "./host";
import { pack } from "./pack";
import { beyondPage } from "./proof/answer";
import type { Names } from "./proof/certificate";
import { Prover, proofsAtOnce, type Question } from "./prover";
import type { Points, Result, Settings } from "./types";

const DRAFT = 60_000; // presentations while a point is on its way: a few milliseconds
const WHOLE = 5_000_000; // presentations of a run
const AT_ONCE = 20_000; // n·d·d up to which a proof takes no longer than a frame

const NOTICED = 150; // milliseconds after which a person notices that a proof is of other points

/** What an answer changes: the proofs, the run; `first`: these are the first proofs of these points. */
export interface Change {
  proofs: boolean;
  run: boolean;
  first: boolean;
}

/** Who is told of an answer. */
export interface Answered {
  show(change: Change): void;
  refuse(why: unknown): void;
  answered(): void;
}

export class Asking {
  result: Result | null = null;
  /** The points as the learner has them. */
  learned: Points = { n: 0, p: 2, X: new Float64Array(), y: new Int8Array() };
  /** All rows, where those are a sample of them. */
  whole: Points | null = null;
  /** Whether the proofs are of these very points and settings, and not of a moment ago. */
  current = false;
  /** How many verdicts have been proved on this page. */
  proved = 0;
  private data: Data | null = null;
  private settings: Settings | null = null;
  private version = 0; // of points and settings
  private flying = false; // whether a question is with the worker or with Python
  private queued = false;
  private since: number | null = null; // since when the points are not those of the proofs
  private left: number | null = null; // since when they are not those of the question in flight
  private alarm: ReturnType<typeof setTimeout> | undefined;
  private readonly prover: Prover;

  constructor(
    private readonly host: Host,
    private readonly names: () => Names,
    private readonly on: Answered,
  ) {
    this.prover = new Prover(() => host.worker());
  }

  /** Other points altogether: nothing is known. */
  forget(): void {
    this.result = null;
    this.current = false;
    this.since = null;
  }

  /** Make the run at once, and the proofs where they take no longer than a frame; a `draft` is replaced soon. */
  ask(data: Data, settings: Settings, draft: boolean): void {
    this.version++;
    this.current = false;
    this.leave();
    this.data = data;
    this.settings = settings;
    const learned = (this.learned = expand(data.points(), settings.phi));
    const all = data.allPoints();
    this.whole = all && expand(all, settings.phi);
    const budget = { corrections: settings.limit, presentations: draft ? DRAFT : WHOLE };
    const own = fromPage(learned, settings, drawOf(settings, learned.p + 1), budget);
    if (learned.n === 0) this.take(own);
    else if (this.atOnce) this.accept({ ...own, ...proofsAtOnce(this.question(own)) });
    else {
      const old = this.result?.d === own.d ? proofsOf(this.result) : null; // of a moment ago: better than none
      this.take({ ...own, ...old }, { proofs: old === null });
      void this.askElsewhere();
    }
  }

  /** Whether the proof of these points is there before they are drawn. */
  get atOnce(): boolean {
    return !this.whole && this.learned.n * (this.learned.p + 1) ** 2 <= AT_ONCE;
  }

  /** Whether the proofs are of points that are gone, and have been long enough to be noticed. */
  get late(): boolean {
    return !this.current && this.since !== null && performance.now() - this.since > NOTICED;
  }

  /** The points at hand, for Python. */
  message(more: Record<string, unknown>): Uint8Array<ArrayBuffer> {
    const { n, p, X, y } = this.data!.allPoints() ?? this.data!.points();
    return pack({ n, p, ...more }, { X, y });
  }

  /** The points have changed. If their proof does not come soon, the page says so. */
  private leave(): void {
    const now = performance.now();
    this.since ??= now;
    this.left ??= now;
    clearTimeout(this.alarm);
    const waiting = (): void => (this.late ? this.on.show({ proofs: true, run: false, first: false }) : undefined);
    this.alarm = setTimeout(waiting, NOTICED + 10);
  }

  private question(run: Result): Question {
    return { points: this.learned, whole: this.whole, settings: this.settings!, run, names: this.names() };
  }

  /** One question in flight; what is asked meanwhile waits, and only the latest of it. */
  private async askElsewhere(): Promise<void> {
    if (this.flying) {
      this.queued = true;
      return;
    }
    this.flying = true;
    this.left = null;
    const { version, settings, learned } = this;
    try {
      const result = await this.elsewhere();
      if (version === this.version) this.accept(result);
      else if (settings === this.settings && learned.n === this.learned.n && this.result?.d === result.d) {
        this.since = this.left;
        this.take({ ...this.result, ...proofsOf(result) }, { run: false }); // the point is still being dragged
      }
      this.on.answered();
    } catch (why) {
      if (version === this.version) this.on.refuse(why);
    } finally {
      this.flying = false;
    }
    if (!this.queued) return;
    this.queued = false;
    void this.askElsewhere();
  }

  /** The worker proves what this page can; only what is beyond it goes to Python, where there is one. */
  private async elsewhere(): Promise<Result> {
    const { host, learned, settings } = this;
    const own = this.result!;
    if (host.trace && beyondPage(this.whole ?? learned)) {
      const told = fromPython(await host.trace(this.message({ settings })));
      return this.whole ? { ...own, verdict: told.verdict } : told;
    }
    return { ...own, ...(await this.prover.ask(this.question(own))) };
  }

  private accept(result: Result): void {
    this.current = true;
    this.since = null;
    if (result.verdict?.proved) this.proved++;
    this.take(result);
  }

  private take(result: Result, { proofs = true, run = true } = {}): void {
    const first = !this.result?.verdict && result.verdict != null;
    this.result = result;
    this.on.show({ proofs, run, first });
  }
}

/** The proofs in an answer: they stay on the page for a moment while a point is dragged. */
function proofsOf(result: Result): Partial<Result> {
  const { verdict, witness, rivals, theorem, k, normSq, cos } = result;
  return { verdict, witness, rivals, theorem, k, normSq, cos };
}
