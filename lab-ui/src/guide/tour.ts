/** The first visit: a run from w = 0, slowly, with a caption for each thing that appears. */
import { count, h } from "../dom";

/** What the tour needs of the lab. */
export interface Stage {
  /** Put the first example on the stage, before its first correction. */
  open(): void;
  /** Show the state after k corrections. */
  go(k: number): void;
  /** The points, the corrections of the run, and the point of correction k. */
  n(): number;
  corrections(): number;
  point(k: number): number;
  /** Signs on the plane that are not shown yet, and the one that a caption is about. */
  dress(hidden: string, shown: string): void;
  /** It is over: by its end (then a challenge may follow), or because the person did something else. */
  ended(): void;
  challenge(): void;
}

interface Caption {
  k: number;
  /** What appears; everything that appears later is hidden. */
  sign: string;
  words: string;
}

const SIGNS = ["ring", "added", "new", "w", "old", "street"]; // in the order of their appearance
const READING = 55; // milliseconds a letter
const LEAST = 3500; // milliseconds a caption
const BEAT = 1100; // milliseconds a correction

export class Tour {
  readonly element = h("div", { class: "coach", role: "group", "aria-label": "Tour", hidden: true });
  private readonly words = h("p", { "aria-live": "polite" });
  private readonly pauseButton = h("button", { type: "button", click: () => this.toggle() });
  private readonly next = h("button", { type: "button", class: "primary", click: () => this.step() }, "Next");
  private readonly skip = h("button", { type: "button", click: () => this.stop() }, "Skip");
  private readonly try = h("button", { type: "button", class: "primary", click: () => this.finish() }, "Try a challenge");
  private at = -1;
  private captions: Caption[] = [];
  private paused = false;
  private timer = 0;

  constructor(private readonly stage: Stage) {
    this.element.append(this.words, h("div", { class: "coach-buttons" }, this.pauseButton, this.next, this.try, this.skip));
  }

  get running(): boolean {
    return this.at >= 0;
  }

  /** Begin, and go on by itself unless the person wants less motion. */
  begin(): void {
    this.stop();
    this.stage.open();
    this.captions = captionsOf(this.stage);
    this.paused = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.element.hidden = false;
    this.show(0);
  }

  /** End it; the plane is as it would be without it. */
  stop(): void {
    if (!this.running) return;
    clearTimeout(this.timer);
    this.at = -1;
    this.element.hidden = true;
    this.stage.dress("", "");
    this.stage.go(this.stage.corrections());
    this.stage.ended();
  }

  /** The person took the controls: leave everything as it is now. */
  interrupt(): void {
    if (!this.running) return;
    clearTimeout(this.timer);
    this.at = -1;
    this.element.hidden = true;
    this.stage.dress("", "");
    this.stage.ended();
  }

  private finish(): void {
    this.stop();
    this.stage.challenge();
  }

  private toggle(): void {
    this.paused = !this.paused;
    this.show(this.at);
  }

  private step(): void {
    if (this.at + 1 < this.captions.length) this.show(this.at + 1);
    else this.stop();
  }

  private show(at: number): void {
    clearTimeout(this.timer);
    this.at = at;
    const { k, sign, words } = this.captions[at];
    const last = at === this.captions.length - 1;
    if (this.words.textContent !== words) this.words.textContent = words;
    this.pauseButton.textContent = this.paused ? "Play" : "Pause";
    this.pauseButton.hidden = this.next.hidden = last;
    this.try.hidden = !last;
    this.skip.textContent = last ? "Done" : "Skip";
    this.stage.dress(SIGNS.slice(SIGNS.indexOf(sign) + 1).join(" "), sign);
    this.stage.go(k);
    if (this.paused || last) return;
    const playing = this.captions[at + 1].words === words; // one caption over several corrections
    this.timer = window.setTimeout(() => this.step(), playing ? BEAT : Math.max(LEAST, READING * words.length));
  }
}

/** The captions of this run; each is true of it. */
export function captionsOf(stage: Pick<Stage, "n" | "corrections" | "point">): Caption[] {
  const K = stage.corrections();
  const captions: Caption[] = [
    {
      k: 0,
      sign: "",
      words:
        `${count(stage.n(), "point")} of two classes, discs and squares. Can a line tell them apart? ` +
        "The perceptron begins with w = 0: there is no line yet.",
    },
    {
      k: 1,
      sign: "ring",
      words:
        `It looks at the points in turn. With w = 0 it answers s = w·x + b = 0 to point ${stage.point(1)}, which is no ` +
        "side: a mistake. The ring marks the point.",
    },
    {
      k: 1,
      sign: "added",
      words: "A correction adds the point to w, or takes it away if its class is −1. The arrow from the origin is y·x.",
    },
    {
      k: 1,
      sign: "new",
      words: "Now there is a line: where w·x + b = 0. The perceptron answers +1 on the blue side, −1 on the orange side.",
    },
    { k: 1, sign: "w", words: "The short arrow is w: at right angles to the line, towards the side of +1." },
    {
      k: 2,
      sign: "old",
      words:
        `The next point that is not on its side is point ${stage.point(2)}. The dashed line is the line before its ` +
        "correction, the full line the one after.",
    },
  ];
  for (let k = 3; k <= K; k++) captions.push({ k, sign: "old", words: "And so on, until a whole pass has no mistake." });
  captions.push(
    {
      k: K,
      sign: "street",
      words:
        `After ${count(K, "correction")} every point is on its side. The green line is the middle of the widest street, ` +
        "and the verdict is proved.",
    },
    {
      k: K,
      sign: "street",
      words: "Now you: drag a point, or click to add one. The verdict follows while you drag.",
    },
  );
  return captions;
}
