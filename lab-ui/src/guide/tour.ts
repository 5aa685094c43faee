/**
 * The first visit: a film of a few seconds. The line swings through its corrections, a hand drags a point across, the
 * verdict flips; the visitor bets before each answer. “Step by step” then explains each sign. Whoever prefers less
 * motion gets the film as stills.
 */
import { count, h } from "../dom";

/** What the film needs of the lab. */
export interface Stage {
  /** Put the first example on the stage. */
  open(): void;
  /** Show the line `part` of the way to correction k. */
  go(k: number, part: number): void;
  n(): number;
  corrections(): number;
  /** The point of correction k, counted from 1. */
  point(k: number): number;
  /** A point that is right, and a place where no line can have it: in the middle of the other class. */
  crossing(): { i: number; from: [number, number]; to: [number, number] };
  /** Put point i somewhere, and decide again. */
  move(i: number, a: number, b: number): void;
  /** Show a hand; null for none. */
  hand(at: [number, number] | null): void;
  /** Signs on the plane that are not shown yet, and the one that a caption is about. */
  dress(hidden: string, shown: string): void;
  /** Whether the answer stands beside the question. */
  veil(veiled: boolean): void;
  /** It is over: by its end (then a challenge may follow), or because the person did something else. */
  ended(): void;
  challenge(): void;
}

interface Scene {
  words: string;
  /** Milliseconds; Infinity for a scene that waits. */
  ms: number;
  /** Draw it, t from 0 to 1. */
  draw(t: number): void;
  /** Whether a line can do it: what is bet on. */
  bet?: boolean;
}

const SIGNS = ["ring", "added", "new", "w", "old", "street"]; // in the order of their appearance
const TIMES = { swing: 3000, freeze: 1700, wait: 2600, cross: 1500, hold: 2600, back: 900 };

export class Tour {
  readonly element = h("div", { class: "coach film", role: "group", "aria-label": "Tour", hidden: true });
  private readonly words = h("p", { "aria-live": "polite" });
  private readonly bets = [true, false].map((yes) =>
    h("button", { type: "button", class: "bet", click: () => this.bet(yes) }, yes ? "Yes" : "No"),
  );
  private readonly pauseButton = h("button", { type: "button", click: () => this.toggle() });
  private readonly next = h("button", { type: "button", class: "primary", click: () => this.step() }, "Next");
  private readonly explain = h("button", { type: "button", click: () => this.stepByStep() }, "Step by step");
  private readonly try = h("button", { type: "button", class: "primary", click: () => this.finish() }, "Try a challenge");
  private readonly skip = h("button", { type: "button", click: () => this.stop() }, "Skip");
  private at = -1;
  private scenes: Scene[] = [];
  private still = false; // paused, or for somebody who wants less motion
  private elapsed = 0; // milliseconds of this scene
  private frame = 0;
  private guess: boolean | null = null;

  constructor(private readonly stage: Stage) {
    const buttons = [...this.bets, this.pauseButton, this.next, this.explain, this.try, this.skip];
    this.element.append(this.words, h("div", { class: "coach-buttons" }, ...buttons));
  }

  get running(): boolean {
    return this.at >= 0;
  }

  /** Begin at once: the line moves with the first frame. */
  begin(): void {
    this.stop();
    this.stage.open();
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.element.hidden = false;
    this.play(filmOf(this.stage));
  }

  /** End it; the plane is as it would be without it. */
  stop(): void {
    if (!this.running) return;
    this.scenes.at(-1)!.draw(1);
    this.interrupt();
  }

  /** The person took the controls: points stay where they are, and there is a line. */
  interrupt(): void {
    if (!this.running) return;
    cancelAnimationFrame(this.frame);
    this.at = -1;
    this.element.hidden = true;
    const { stage } = this;
    stage.dress("", "");
    stage.veil(false);
    stage.hand(null);
    stage.go(stage.corrections(), 1);
    stage.ended();
  }

  private play(scenes: Scene[]): void {
    this.scenes = scenes;
    this.guess = null;
    this.show(0);
  }

  private finish(): void {
    this.stop();
    this.stage.challenge();
  }

  private toggle(): void {
    this.still = !this.still;
    this.drawButtons();
    if (!this.still) this.run();
  }

  private bet(yes: boolean): void {
    this.guess = yes;
    if (this.scenes[this.at].draw === idle) this.step();
    else this.drawButtons();
  }

  private step(): void {
    if (this.at + 1 < this.scenes.length) this.show(this.at + 1);
    else this.stop();
  }

  private stepByStep(): void {
    this.still = true;
    this.play(captionsOf(this.stage));
  }

  private show(at: number): void {
    this.at = at;
    this.elapsed = 0;
    const { words, bet, draw, ms } = this.scenes[at];
    const before = this.scenes[at - 1]?.bet;
    const judged = this.guess !== null && before !== undefined && bet === undefined ? this.judged(before) : "";
    if (this.words.textContent !== judged + words) this.words.textContent = judged + words;
    if (judged) this.guess = null;
    this.drawButtons();
    if (this.still || ms === Infinity) draw(1);
    else this.run();
  }

  private judged(answer: boolean): string {
    return `You said ${this.guess ? "yes" : "no"}: ${this.guess === answer ? "right" : "wrong"}. `;
  }

  private drawButtons(): void {
    const { bet } = this.scenes[this.at];
    const last = this.at === this.scenes.length - 1;
    this.bets.forEach((one, i) => {
      one.hidden = bet === undefined;
      one.setAttribute("aria-pressed", String(this.guess === (i === 0)));
    });
    this.pauseButton.textContent = this.still ? "Play" : "Pause";
    this.pauseButton.hidden = last;
    this.next.hidden = last || !this.still;
    this.try.hidden = this.explain.hidden = !last;
    this.skip.textContent = last ? "Done" : "Skip";
  }

  /** From here on by itself, once a frame, until the scene is over. */
  private run(): void {
    cancelAnimationFrame(this.frame);
    let last: number | null = null;
    const frame = (now: number): void => {
      if (!this.running || this.still) return;
      const { ms, draw } = this.scenes[this.at];
      this.elapsed += now - (last ?? now);
      last = now;
      if (this.elapsed >= ms) return this.step();
      draw(this.elapsed / ms);
      this.frame = requestAnimationFrame(frame);
    };
    const { ms, draw } = this.scenes[this.at];
    draw(this.elapsed / ms);
    this.frame = requestAnimationFrame(frame);
  }
}

const idle = (): void => undefined;

/** The film of this run; what is said is true of it. */
export function filmOf(stage: Stage): Scene[] {
  const K = stage.corrections();
  const { i, from, to } = stage.crossing();
  const point = `point ${i + 1}`;
  const turning = (t: number): void => {
    const at = Math.min(K, t * K);
    const k = Math.max(1, Math.ceil(at)); // w(0) = 0 is no line: the film begins with the first
    stage.dress("old street", "");
    stage.veil(t < 1);
    stage.go(k, k === 1 ? 1 : smooth(at - (k - 1)));
  };
  const along = (t: number): [number, number] => [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])];
  const hand = (t: number): void => {
    stage.dress("", "");
    stage.hand(along(t));
    stage.move(i, ...along(t));
  };
  const over = (): void => {
    stage.move(i, ...from);
    stage.hand(null);
    stage.veil(false);
    stage.dress("", "");
  };
  const can = `It can: ${count(K, "correction")}, and the verdict is proved.`;
  const cannot = "No line can any more. The diamond lies in the hulls of both classes: that is the proof.";
  return [
    {
      words: `${count(stage.n(), "point")} of two classes. Can a line tell them apart? Bet while it turns.`,
      ms: TIMES.swing,
      draw: turning,
      bet: true,
    },
    {
      words: can,
      ms: TIMES.freeze,
      draw: () => {
        turning(1);
        stage.dress("", "street");
      },
    },
    { words: `A hand takes ${point} across. Can a line still do it?`, ms: TIMES.wait, draw: idle, bet: false },
    {
      words: `A hand takes ${point} across …`,
      ms: TIMES.cross,
      draw: (t) => hand(smooth(t)),
    },
    {
      words: cannot,
      ms: TIMES.hold,
      draw: () => {
        hand(1);
        stage.dress("", "meeting");
      },
    },
    { words: cannot, ms: TIMES.back, draw: (t) => hand(1 - smooth(t)) },
    { words: INVITATION, ms: Infinity, draw: over },
  ];
}

export const PROMISE = "You will never see a wrong answer: each is proved before it is drawn.";
const INVITATION = `Now you: drag any point. ${PROMISE}`;

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}

/** Each sign with its caption, from w = 0; each caption is true of this run. */
export function captionsOf(stage: Stage): Scene[] {
  const K = stage.corrections();
  const scene = (k: number, sign: string, words: string): Scene => ({
    words,
    ms: 5000,
    draw: () => {
      stage.dress(SIGNS.slice(SIGNS.indexOf(sign) + 1).join(" "), sign);
      stage.go(k, 1);
    },
  });
  const so = "And so on, until a whole pass has no mistake.";
  const between = Array.from({ length: Math.max(0, K - 2) }, (_, j) => scene(j + 3, "old", so));
  return [
    scene(
      0,
      "",
      `${count(stage.n(), "point")} of two classes, discs and squares. The perceptron begins with w = 0: there is no line yet.`,
    ),
    scene(
      1,
      "ring",
      `It looks at the points in turn. With w = 0 it answers s = w·x + b = 0 to point ${stage.point(1)}, which is no ` +
        "side: a mistake. The ring marks the point.",
    ),
    scene(
      1,
      "added",
      "A correction adds the point to w, or takes it away if its class is −1. The arrow from the origin is y·x.",
    ),
    scene(
      1,
      "new",
      "Now there is a line: where w·x + b = 0. The perceptron answers +1 on the blue side, −1 on the orange side.",
    ),
    scene(1, "w", "The short arrow is w: at right angles to the line, towards the side of +1."),
    scene(
      2,
      "old",
      `The next point that is not on its side is point ${stage.point(2)}. The dashed line is the line before its ` +
        "correction, the full line the one after.",
    ),
    ...between,
    scene(
      K,
      "street",
      `After ${count(K, "correction")} every point is on its side. The green line is the middle of the widest street, ` +
        "and the verdict is proved.",
    ),
    { words: INVITATION, ms: Infinity, draw: () => stage.go(K, 1) },
  ];
}
