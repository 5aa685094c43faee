/** All that is drawn of a moment: plane, verdict, hint, correction, curves. */
import type { Asking } from "./asking";
import { shadow } from "./atlas";
import { become, count, h, say, whole } from "./dom";
import type { Guide } from "./guide/guide";
import { PROMISE } from "./guide/tour";
import type { Plane, Scene } from "./plane";
import { reasonOf } from "./reason";
import { correctedRow, hasLine, places, sceneOf, wrongRows, type Moment } from "./scene";
import type { State } from "./state";
import { startCard, stepCard } from "./step";
import { passOf, TheoremCharts } from "./theorem";
import type { ProofPanel } from "./proofpanel";
import type { Transport } from "./transport";
import { resolved } from "./types";
import { factLines, verdictCard } from "./verdict";

export class Drawing {
  readonly question = h("h2");
  readonly verdict = h("div", { class: "verdict" });
  readonly facts = h("dl", { class: "facts" });
  readonly strip = h("p", { class: "strip", "aria-hidden": "true" });
  readonly lead = h("p", { class: "lead" });
  readonly hint = h("p", { class: "hint" });
  /** How far the line is on its way to the correction that is shown. */
  part = 1;
  private tinted = ""; // what the atlas says
  private telling = false; // whether the strip is the one sentence of a figure
  readonly step = h("div", { class: "step" });
  readonly theorem: TheoremCharts;

  constructor(
    private readonly state: State,
    private readonly asking: Asking,
    private readonly plane: Plane,
    private readonly transport: Transport,
    private readonly guide: Guide,
    private readonly drawn: () => void,
    private readonly panel: ProofPanel,
    private readonly atlas: () => boolean,
  ) {
    this.theorem = new TheoremCharts((k) => transport.go(k));
  }

  /** The strip says all: there is no other place for it. */
  tell(): void {
    this.telling = true;
    this.strip.removeAttribute("aria-hidden");
    this.strip.setAttribute("role", "status");
  }

  /** The verdict and what comes with it. */
  proofs(): void {
    const { data, settings } = this.state;
    const { result, learned, late } = this.asking;
    say(this.question, `Can a ${learned.p > 2 ? "hyperplane" : "line"} tell them apart?`);
    const verdict = result?.verdict;
    const reason = verdict && this.asking.current ? reasonOf(verdict, data.scaled ? data.unscaled() : (this.asking.whole ?? learned), this.state.written()) : "";
    const circumstances = { scaled: data.scaled, empty: data.n === 0, rows: data.whole?.n ?? null, late, reason };
    become(this.verdict, verdictCard(result, circumstances));
    become(this.facts, result?.verdict && data.n > 0 ? factLines(result, result.verdict, settings) : []);
    this.drawLead();
    const title = this.verdict.querySelector(".verdict-line")?.firstChild?.textContent ?? "";
    const words = (this.telling && result?.verdict?.sentence.replace(/\.$/, "")) || title;
    say(this.strip, words + (result?.verdict?.proved && !late ? " · proved" : ""));
    this.strip.className = `strip ${result?.verdict?.kind ?? ""}`;
    if (result) this.theorem.draw(result);
    if (this.panel.open && this.asking.current) this.showProof();
    this.guide.explainVerdict(result?.verdict?.kind);
  }

  /** The proof of the verdict. */
  showProof(): void {
    const last = this.state.replay?.at(this.transport.length) ?? [];
    this.panel.show(this.asking.whole ?? this.asking.learned, this.state.names(), last);
  }

  /** Show all points. */
  refit(): void {
    const { state } = this;
    state.project();
    const last = state.replay?.at(this.transport.length) ?? null;
    const { xs, ys } = places(state.data, state.projection, last);
    if (state.data.n > 0) this.plane.fit(xs, ys, state.data.movable);
    this.render();
  }

  /** The correction that is shown. */
  render(): void {
    const { data, settings, projection, replay } = this.state;
    const { learned, result, current } = this.asking;
    const k = this.transport.k;
    const w = replay?.at(k) ?? null;
    const before = replay && k > 0 ? replay.at(k - 1) : null;
    const moment: Moment = { data, settings, learned, projection, result, k, w, before };
    const seen = { ...moment, w: w && before && this.part < 1 ? between(before, w, this.part) : w };
    const wrong = wrongRows(seen);
    const mistakes = hasLine(seen.w) ? wrong.reduce((sum, v) => sum + v, 0) : null;
    this.plane.draw({ ...sceneOf(seen, wrong), ...this.beside() });
    this.transport.describe(mistakes);
    this.drawHint(mistakes);
    const projected = projection !== null;
    this.guide.draw({ learned, settings, result, w, current, classes: [...data.others, data.className(1)], projected });
    this.drawStep(moment);
    if (result && w) this.theorem.point(result, k, w);
    this.drawn();
  }

  /** Whether there is an atlas of these points. */
  get mappable(): boolean {
    const { data, settings } = this.state;
    return data.movable && settings.phi === "x" && data.n <= MAPPED;
  }

  /** What is drawn where it is asked for: the atlas of the chosen point, the mixtures of the proof. */
  private beside(): Pick<Scene, "shadow" | "mixtures"> {
    const { data } = this.state;
    const i = this.plane.selected;
    if (!this.mappable) return {};
    const { x0, x1, y0, y1 } = this.plane.frame;
    const far = 4 * Math.hypot(x1 - x0, y1 - y0);
    const mapped = this.atlas() && i !== null && i < data.n;
    const tint = mapped ? shadow(data.points(), i, far) : null;
    this.tinted = !mapped ? "choose a point to see where it may go" : tint ? "no line is left with the chosen point in the tint" : "the others leave no line, wherever the chosen point goes";
    return { shadow: tint, mixtures: this.panel.mixtures() };
  }

  /** What can be done with a point, and how often an answer has been proved. */
  private drawLead(): void {
    const { data } = this.state;
    const shown = data.movable && data.n > 0;
    const promise = this.asking.atOnce ? PROMISE : "The verdict follows, as soon as it is proved.";
    const made = h("output", {}, count(this.asking.proved, "proof"));
    become(this.lead, shown ? [h("strong", {}, "Drag any point."), h("span", {}, ` ${promise} `), made] : []);
  }

  private drawHint(mistakes: number | null): void {
    const { n, movable } = this.state.data;
    const parts = [mistakes === null ? NO_LINE : `${whole(mistakes)} of ${whole(n)} not on their side now`];
    if (this.mappable && this.atlas()) parts.push(this.tinted);
    if (!movable) parts.push("in a projection points cannot be moved");
    else if (this.plane.stretched) parts.push("the axes have different scales, so right angles do not look right");
    say(this.hint, n === 0 ? "Click in the plane to add points." : parts.join(" · "));
  }

  private drawStep(moment: Moment): void {
    const { result, k, w, before, learned, data, settings } = moment;
    const row = correctedRow(moment);
    if (!result || !w || !before || row === null) return become(this.step, startCard(w));
    const pass = settings.learner === "perceptron" ? passOf(result.passEnds, k) : null;
    const K = this.transport.length;
    const one = { k, K, pass, row, step: result.steps[k - 1], before, after: w, last: this.state.replay!.at(K) };
    const className = (y: number): string => data.className(y);
    become(this.step, stepCard(one, learned, this.state.names(), className, resolved(settings)));
  }
}

const MAPPED = 200; // points up to which the atlas is drawn while one moves
const NO_LINE = "w is 0: there is no line yet";

/** Weights on the way from one correction to the next. */
function between(before: Float64Array, after: Float64Array, part: number): Float64Array {
  return before.map((v, j) => v + part * (after[j] - v));
}
