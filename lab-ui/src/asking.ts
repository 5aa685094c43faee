/** The questions about the points at hand: the run and its proofs, from this page at once, from Python where there is one. */
import { Draws, fromPage, fromPython, proofsOf } from "./answer";
import type { Data } from "./data";
import { expand } from "./features";
import type { Host } from "./host";
import { pack } from "./pack";
import { answer } from "./proof/answer";
import type { Names } from "./proof/certificate";
import { rivals } from "./rivals";
import { twoClasses, type Points, type Result, type Settings } from "./types";

const PREVIEW = { corrections: 20_000, presentations: 60_000 }; // a few milliseconds
const ALONE = 5_000_000; // presentations, where no Python will take over
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
  /** Whether the proofs are of these very points and settings, and not of a moment ago. */
  current = false;
  private data: Data | null = null;
  private settings: Settings | null = null;
  private version = 0; // of points and settings
  private flying = false;
  private queued: { draft: boolean } | null = null;
  private since: number | null = null; // since when the points are not those of the proofs
  private left: number | null = null; // since when they are not those of the question in flight
  private alarm: ReturnType<typeof setTimeout> | undefined;
  private readonly draws = new Draws();

  constructor(
    private readonly host: Host,
    private readonly names: () => Names,
    private readonly on: Answered,
  ) {}

  /** Other points altogether: nothing is known. */
  forget(): void {
    this.result = null;
    this.current = false;
    this.since = null;
  }

  /** Show this page's own run at once, and ask Python for the run and the proofs; a `draft` is replaced soon. */
  ask(data: Data, settings: Settings, draft: boolean): void {
    this.version++;
    this.current = false;
    this.leave();
    this.data = data;
    this.settings = settings;
    this.learned = expand(data.points(), settings.phi);
    this.preview(settings, draft);
    if (this.host.trace) void this.askPython(draft);
  }

  /** Whether the proofs are of points that are gone, and have been long enough to be noticed. */
  get late(): boolean {
    return !this.current && this.since !== null && performance.now() - this.since > NOTICED;
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

  /** An answer that came with the points. */
  given(data: Data, settings: Settings, result: Result): void {
    this.data = data;
    this.settings = settings;
    this.learned = expand(data.points(), settings.phi);
    this.accept(result);
  }

  /** The points at hand, for Python. */
  message(more: Record<string, unknown>): Uint8Array<ArrayBuffer> {
    const { n, p, X, y } = this.data!.points();
    return pack({ n, p, ...more }, { X, y });
  }

  private preview(settings: Settings, draft: boolean): void {
    const { learned, result } = this;
    const alone = this.host.trace === null;
    const d = learned.p + 1;
    const draw = alone ? this.draws.make(settings, d) : this.draws.find(settings, d);
    if (!draw) return this.take(null);
    const most = alone ? settings.limit : Math.min(PREVIEW.corrections, settings.limit);
    const budget = { corrections: most, presentations: alone && !draft ? ALONE : PREVIEW.presentations };
    const own = fromPage(learned, settings, draw, budget);
    if (alone) return this.decide(own, settings);
    const proofs = result?.d === d ? proofsOf(result) : null; // of a moment ago: better than none
    this.take({ ...own, ...proofs }, { proofs: proofs === null });
  }

  /** Without Python: the proofs are made here, at once where they are quick. */
  private decide(own: Result, settings: Settings): void {
    const { learned, version } = this;
    if (learned.n === 0) return this.take(own);
    const finish = (): void => {
      if (version !== this.version) return;
      const lines = twoClasses(learned) ? rivals(learned, settings.rivals) : [];
      this.current = true;
      this.since = null;
      this.take({ ...own, ...answer(learned, settings, own, this.names()), rivals: lines });
    };
    if (learned.n * (learned.p + 1) ** 2 <= AT_ONCE) return finish();
    this.take(own);
    setTimeout(finish, 30); // the page is drawn first
  }

  /** One question in flight; what is asked meanwhile waits, and only the latest of it. */
  private async askPython(draft: boolean): Promise<void> {
    if (this.flying) {
      this.queued = { draft };
      return;
    }
    this.flying = true;
    this.left = null;
    const { version, settings, learned } = this;
    try {
      const result = fromPython(await this.host.trace!(this.message({ settings: { ...settings, draft } })));
      this.draws.remember(settings!, result);
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
    const next = this.queued;
    this.queued = null;
    if (next) void this.askPython(next.draft);
  }

  private accept(result: Result): void {
    this.current = true;
    this.since = null;
    const rivals = result.rivals.length > 0 ? result.rivals : (this.result?.rivals ?? []); // a draft brings none
    this.take({ ...result, rivals });
  }

  private take(result: Result | null, { proofs = true, run = true } = {}): void {
    const first = !this.result?.verdict && result?.verdict != null;
    this.result = result;
    this.on.show({ proofs, run, first });
  }
}
