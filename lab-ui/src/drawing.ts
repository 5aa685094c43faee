/** All that is drawn of a moment: plane, verdict, hint, correction, curves. */
import type { Asking } from "./asking";
import { become, h, say, whole } from "./dom";
import type { Guide } from "./guide/guide";
import type { Plane } from "./plane";
import { correctedRow, places, sceneOf, wrongRows, type Moment } from "./scene";
import type { State } from "./state";
import { startCard, stepCard } from "./step";
import { passOf, TheoremCharts } from "./theorem";
import type { Transport } from "./transport";
import { resolved } from "./types";
import { verdictCard } from "./verdict";

export class Drawing {
  readonly question = h("h2");
  readonly verdict = h("div", { class: "verdict" });
  readonly strip = h("p", { class: "strip", "aria-hidden": "true" });
  readonly hint = h("p", { class: "hint" });
  readonly step = h("div", { class: "step" });
  readonly theorem: TheoremCharts;

  constructor(
    private readonly state: State,
    private readonly asking: Asking,
    private readonly plane: Plane,
    private readonly transport: Transport,
    private readonly guide: Guide,
  ) {
    this.theorem = new TheoremCharts((k) => transport.go(k));
  }

  /** The verdict and what comes with it. */
  proofs(): void {
    const { data, settings } = this.state;
    const { result, learned, late } = this.asking;
    say(this.question, `Can a ${learned.p > 2 ? "hyperplane" : "line"} tell them apart?`);
    const circumstances = { scaled: data.scaled, empty: data.n === 0, late };
    become(this.verdict, verdictCard(result, settings, circumstances));
    const title = this.verdict.querySelector(".verdict-line")?.firstChild?.textContent ?? "";
    say(this.strip, title + (result?.verdict?.proved && !late ? " · proved" : ""));
    this.strip.className = `strip ${result?.verdict?.kind ?? ""}`;
    if (result) this.theorem.draw(result);
    this.guide.explainVerdict(result?.verdict?.kind);
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
    const wrong = wrongRows(moment);
    const mistakes = wrong.reduce((sum, v) => sum + v, 0);
    this.plane.draw(sceneOf(moment, wrong));
    this.transport.describe(mistakes);
    this.drawHint(mistakes);
    const projected = projection !== null;
    this.guide.draw({ learned, settings, result, w, current, classes: data.classes, projected });
    this.drawStep(moment);
    if (result && w) this.theorem.point(result, k, w);
  }

  private drawHint(mistakes: number): void {
    const { n, movable } = this.state.data;
    const parts = [`${whole(mistakes)} of ${whole(n)} on the wrong side now`];
    if (!movable) parts.push("in a projection points cannot be moved");
    else if (this.plane.stretched) parts.push("the axes have different scales, so right angles do not look right");
    say(this.hint, n === 0 ? "Click in the plane to add points." : parts.join(" · "));
  }

  private drawStep(moment: Moment): void {
    const { result, k, w, before, learned, data, settings } = moment;
    const row = correctedRow(moment);
    if (!result || !w || !before || row === null) return become(this.step, startCard(w));
    const pass = settings.learner === "perceptron" ? passOf(result.passEnds, k) : null;
    const one = { k, K: this.transport.length, pass, row, step: result.steps[k - 1], before, after: w };
    const className = (y: number): string => data.className(y);
    become(this.step, stepCard(one, learned, this.state.names(), className, resolved(settings)));
  }
}
