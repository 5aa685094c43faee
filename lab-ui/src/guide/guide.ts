/** All that explains the lab, around the plane: tour, challenges, legend, hints, and "Why?". */
import { h } from "../dom";
import type { Points, Result, Settings, Verdict } from "../types";
import type { Challenge } from "./challenges";
import { keep, recall } from "./keep";
import { Legend } from "./legend";
import { oddities } from "./odd";
import { Quests } from "./quests";
import { Tour, type Stage } from "./tour";
import { why, type REASONS } from "./why";

/** What there is to explain at a moment; proofs of a moment ago are left out. */
export interface Seen {
  learned: Points;
  settings: Settings;
  result: Result | null;
  w: Float64Array | null;
  /** Whether the proofs are of these points. */
  current: boolean;
  classes: string[]; // those of −1, then +1
  projected: boolean;
}

export class Guide {
  readonly tour: Tour;
  readonly quests: Quests;
  readonly legend = new Legend();
  readonly odd = h("ul", { class: "odd", "aria-label": "What is odd here" });
  readonly why = { verdict: h("div"), step: h("div"), theorem: h("div"), learner: h("div") };
  private book: string | null = null; // where its pages are
  private explained: Verdict["kind"] | undefined; // the kind that "Why?" is about

  constructor(stage: Omit<Stage, "ended" | "challenge">, open: (one: Challenge) => void) {
    this.quests = new Quests(open);
    this.tour = new Tour({ ...stage, ended: () => keep("toured", "yes"), challenge: () => this.quests.start() });
  }

  /** `book` is where the book's pages are, from this page; null without a book. */
  beside(book: string | null): void {
    this.book = book;
    this.explain("step", "step");
    this.explain("theorem", "theorem");
    this.explain("learner", "recipes");
  }

  /** Begin the tour on a first visit. */
  welcome(home: HTMLElement): void {
    const seen = home.getClientRects().length > 0; // another room may be open
    if (seen && recall("toured") === null) this.tour.begin();
  }

  explainVerdict(kind: Verdict["kind"] | undefined): void {
    if (kind === this.explained) return;
    this.explained = kind;
    if (kind && kind !== "unknown") this.explain("verdict", kind);
    else this.why.verdict.replaceChildren();
  }

  draw({ learned, settings, result, w, current, classes, projected }: Seen): void {
    const words = oddities(learned, settings, w, (current && result?.verdict) || null);
    if (words.join() !== [...this.odd.children].map((one) => one.textContent).join())
      this.odd.replaceChildren(...words.map((one) => h("li", {}, one)));
    this.legend.draw(result, classes, projected);
    this.quests.judge(learned, settings, current ? result : null);
  }

  private explain(card: keyof Guide["why"], reason: keyof typeof REASONS): void {
    this.why[card].replaceChildren(why(reason, this.book));
  }
}
