/** The challenges on the page: which one is on, how far it is, which are solved. */
import { button, h } from "../dom";
import type { Points, Result, Settings } from "../types";
import { CHALLENGES, judged, type Challenge } from "./challenges";
import { keep, recall } from "./keep";

export class Quests {
  /** The list, for a card of its own. */
  readonly list = h("ol", { class: "quests" });
  /** The one that is on, beside the plane. */
  readonly element = h("div", { class: "coach", role: "group", "aria-label": "Challenge", hidden: true });
  private readonly solved = new Set((recall("challenges") ?? "").split(" ").filter(Boolean));
  private current: Challenge | null = null;
  private readonly title = h("strong");
  private readonly task = h("span");
  private readonly words = h("p", { class: "judged", "aria-live": "polite" });
  private readonly next = h("button", { type: "button", class: "primary", click: () => this.goOn() }, "Next challenge");
  private readonly close = button("Close the challenge", "×", () => this.end());

  /** `open` puts the points of a challenge on the stage. */
  constructor(private readonly open: (one: Challenge) => void) {
    const task = h("p", {}, this.title, " ", this.task);
    this.close.classList.add("close");
    this.element.append(task, this.words, h("div", { class: "coach-buttons" }, this.next), this.close);
    const item = (one: Challenge): HTMLElement =>
      h(
        "li",
        {},
        h("button", { type: "button", click: () => this.start(one) }, one.title),
        h("span", { class: "proved", hidden: true }, "solved"),
      );
    this.list.append(...CHALLENGES.map(item));
    this.drawList();
  }

  /** The first that is not solved, or the first. */
  start(one: Challenge = this.following(-1)): void {
    this.current = one;
    this.element.hidden = false;
    this.title.textContent = `${one.title}.`;
    this.task.textContent = one.words;
    this.drawList();
    this.open(one);
  }

  end(): void {
    this.current = null;
    this.element.hidden = true;
    this.drawList();
  }

  /** Other points, another run, another proof. */
  judge(points: Points, settings: Settings, result: Result | null): void {
    if (!this.current) return;
    const { done, words } = judged(this.current, points, settings, result);
    const said = done ? `Solved. ${words}` : words;
    if (this.words.textContent !== said) this.words.textContent = said;
    this.element.classList.toggle("solved", done);
    const left = CHALLENGES.some((one) => one !== this.current && !this.solved.has(one.id));
    this.next.hidden = !done || !left;
    if (!done || this.solved.has(this.current.id)) return;
    this.solved.add(this.current.id);
    keep("challenges", [...this.solved].join(" "));
    this.drawList();
  }

  private goOn(): void {
    this.start(this.following(this.current ? CHALLENGES.indexOf(this.current) : -1));
  }

  /** The next one after this that is not solved; the next of all where all are. */
  private following(at: number): Challenge {
    const turned = [...CHALLENGES.slice(at + 1), ...CHALLENGES.slice(0, at + 1)];
    return turned.find((one) => !this.solved.has(one.id)) ?? turned[0];
  }

  private drawList(): void {
    CHALLENGES.forEach((one, i) => {
      const [face, badge] = this.list.children[i].children as unknown as [HTMLElement, HTMLElement];
      face.setAttribute("aria-pressed", String(one === this.current));
      badge.hidden = !this.solved.has(one.id);
    });
  }
}
