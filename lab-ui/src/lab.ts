/** The lab: points, a run of the learner on them, and everything that shows it. */
import { fromPython } from "./answer";
import { Asking } from "./asking";
import { Controls, type Look } from "./controls";
import { Data } from "./data";
import { button, count, h, icon, number, whole } from "./dom";
import { Examples, type Named } from "./examples";
import { MAPS } from "./features";
import type { Challenge } from "./guide/challenges";
import { Guide } from "./guide/guide";
import { settingsOf, type Begin, type Host } from "./host";
import { History } from "./history";
import { Keeping, type Now } from "./keeping";
import { layout } from "./layout";
import { unpack } from "./pack";
import { Plane } from "./plane";
import { Projection } from "./projection";
import type { Names } from "./proof/certificate";
import { Refusal } from "./refusal";
import { Replay } from "./replay";
import { correctedRow, places, sceneOf, wrongRows, type Moment } from "./scene";
import { fromFragment, type Shared } from "./share";
import { startCard, stepCard } from "./step";
import { chooseTarget, readTable, type Table } from "./table";
import { onTheme } from "./theme";
import { passOf, TheoremCharts } from "./theorem";
import { Transport } from "./transport";
import { resolved, soundSettings, USUAL } from "./types";
import type { Settings } from "./types";
import { verdictCard } from "./verdict";
import { verifyDialog } from "./verify";

const BACK = "M7 3L2 7L7 11V8.5C11 8.5 13 10 14 13C14 8 11 5.5 7 5.5Z"; // arrows of the buttons
const FORTH = "M9 3L14 7L9 11V8.5C5 8.5 3 10 2 13C2 8 5 5.5 9 5.5Z";

let labs = 0; // a notebook may show several

/** What undo brings back. */
interface Stage {
  data: Data;
  settings: Settings;
  named: Named;
}

export class Lab {
  private data = emptyData();
  private settings: Settings = { ...USUAL };
  private replay: Replay | null = null;
  private projection: Projection | null = null;
  private addClass = 1;
  private readonly history = new History<Stage>();
  private moving = false; // whether a point is on its way
  private own: Stage | null = null; // the points somebody made, while an example is looked at

  private readonly plane: Plane;
  private readonly controls: Controls;
  private readonly theorem: TheoremCharts;
  private readonly guide: Guide;
  private readonly asking: Asking;
  private readonly keeping: Keeping;
  private readonly transport = new Transport(
    () => this.render(),
    () => this.sayWhere(),
  );
  private readonly group = `rosenblatt-class-${++labs}`;
  private readonly home: HTMLElement;
  private readonly saving = h("div", { class: "saving" });
  private readonly examples = new Examples((value) => this.choose(value));
  private readonly classes = h("div", { class: "classes", role: "radiogroup", "aria-label": "Class of new points" });
  private readonly strip = h("p", { class: "strip", "aria-hidden": "true" });
  private readonly undoButton = button("Undo", icon(BACK), () => this.undo());
  private readonly redoButton = button("Redo", icon(FORTH), () => this.redo());
  private readonly hint = h("p", { class: "hint" });
  private readonly step = h("div", { class: "step" });
  private readonly question = h("h2");
  private readonly verdict = h("div", { class: "verdict" });
  private readonly table: HTMLElement;
  private readonly notice = h("div", { class: "notice", role: "alert", hidden: true });
  private readonly spoken = h("div", { class: "spoken", role: "status", "aria-live": "polite" });

  constructor(
    root: HTMLElement,
    private readonly host: Host,
  ) {
    this.plane = new Plane(
      {
        add: (a, b, other) => this.addPoint(a, b, other ? -this.addClass : this.addClass),
        move: (i, a, b, done) => this.movePoint(i, a, b, done),
        remove: (i) => this.removePoint(i),
        flip: (i) => this.flipPoint(i),
        select: (i) => this.select(i),
        key: (event) => this.key(event),
      },
      () => this.refit(),
    );
    this.controls = new Controls(
      () => this.settings,
      () => this.data,
      (part) => this.change(part),
      (part) => this.lookAt(part),
    );
    this.theorem = new TheoremCharts((k) => this.transport.go(k));
    this.guide = new Guide(
      {
        open: () => this.openFirst(),
        go: (k) => this.transport.go(k),
        n: () => this.data.n,
        corrections: () => this.transport.length,
        point: (k) => this.asking.result!.rows[k - 1] + 1,
        dress: (hidden, shown) => Object.assign(this.plane.element.dataset, { hidden, shown }),
      },
      (one) => this.openChallenge(one),
    );
    const refuse = (why: unknown): void => this.refuse(why);
    this.asking = new Asking(host, () => this.written(), {
      show: (change) => this.showAnswer(change),
      refuse,
      answered: () => (this.notice.hidden = true),
    });
    const now = (): Now => this.now();
    const told = { say: (words: string) => this.say(words), refuse, open: (one: Shared) => this.openShared(one) };
    this.keeping = new Keeping(host, this.asking, this.plane, now, told);
    this.table = h("section", { class: "card", hidden: true }, h("h2", {}, "Table"), this.controls.view);
    this.home = this.build();
    root.append(this.home);
    this.listen(root);
  }

  async begin(): Promise<void> {
    try {
      await this.open(await this.host.begin());
    } catch (why) {
      this.refuse(why);
      this.render();
    }
  }

  // -------------------------------------------------------------------------------------------------------- the page

  private build(): HTMLElement {
    const accept = ".csv,.tsv,.txt,.json,text/csv,application/json";
    const file = h("input", { type: "file", accept, multiple: true, class: "spoken", tabindex: -1 });
    file.setAttribute("aria-label", "A table in a CSV file, or a certificate and its table");
    file.addEventListener("change", () => {
      const chosen = [...(file.files ?? [])];
      file.value = "";
      void this.openFiles(chosen);
    });
    const title = "Open a table of your own, or check a certificate with its table; both can also be dropped here";
    const upload = h("button", { type: "button", title, click: () => file.click() }, "Open…");
    const share = h("button", { type: "button", click: () => void this.keeping.share(this.home) }, "Share…");
    const tourTitle = "A run from its beginning, with a caption for each thing that appears";
    const tour = h("button", { type: "button", title: tourTitle, click: () => this.guide.tour.begin() }, "Tour");
    const example = h("label", { class: "example" }, h("span", {}, "Example"), this.examples.select);
    return layout({
      header: [example, tour, upload, file, share, this.saving],
      look: this.examples.look,
      tools: [
        this.classes,
        button("Add point in the middle", "Add point", () => this.addInTheMiddle()),
        button("Delete the chosen point", "Delete", () => this.removePoint(this.plane.selected)),
        button("Flip the class of the chosen point", "Flip", () => this.flipChosen()),
        button("Clear all points", "Clear", () => this.clear()),
        this.undoButton,
        this.redoButton,
        button("Fit all points", "Fit", () => this.refit()),
      ],
      strip: this.strip,
      coach: [this.guide.tour.element, this.guide.quests.element],
      plane: this.plane.element,
      transport: this.transport.element,
      hint: this.hint,
      odd: this.guide.odd,
      legend: this.guide.legend.element,
      challenges: this.guide.quests.list,
      why: this.guide.why,
      step: this.step,
      question: this.question,
      verdict: this.verdict,
      table: this.table,
      learner: this.controls.learner,
      theorem: this.theorem.element,
      notice: this.notice,
      spoken: this.spoken,
    });
  }

  private listen(root: HTMLElement): void {
    root.addEventListener("keydown", (event) => event.stopPropagation()); // a notebook would take our keys for its own
    const shortcut = (event: KeyboardEvent): void => this.shortcut(event);
    root.addEventListener("keydown", shortcut);
    if (this.host.kind !== "notebook") document.body.addEventListener("keydown", shortcut);
    for (const act of ["click", "input", "change"]) {
      this.transport.element.addEventListener(act, () => this.guide.tour.interrupt());
    }
    root.addEventListener("dragover", (event) => event.preventDefault());
    root.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.openFiles([...(event.dataTransfer?.files ?? [])]);
    });
    if (this.host.kind !== "notebook") addEventListener("hashchange", () => this.openAddress());
    onTheme(() => {
      this.plane.forget();
      this.render();
    });
  }

  private drawClasses(): void {
    const choice = (y: number): HTMLElement => {
      const input = h("input", { type: "radio", name: this.group, value: y });
      input.checked = this.addClass === y;
      input.addEventListener("change", () => (this.addClass = y));
      const mark = h("span", { class: "mark", "aria-hidden": "true" });
      return h("label", { class: y > 0 ? "positive" : "negative" }, input, mark, h("span", {}, this.data.className(y)));
    };
    this.classes.replaceChildren(choice(1), choice(-1));
  }

  private refuse(why: unknown): void {
    if (!(why instanceof Refusal)) throw why;
    const close = button("Close", "×", () => (this.notice.hidden = true));
    this.notice.replaceChildren(h("span", {}, why.message), close);
    this.notice.hidden = false;
  }

  private say(words: string): void {
    this.spoken.textContent = words;
  }

  // ------------------------------------------------------------------------------------------------ what one can load

  private async open(begin: Begin): Promise<void> {
    this.guide.beside(begin.book);
    this.saving.replaceChildren(this.keeping.menu(begin.report, this.home));
    this.examples.fill(begin.presets);
    const inAddress = this.host.kind === "notebook" ? null : fromFragment(location.hash);
    const shared = inAddress ?? fromFragment(begin.state ?? "");
    if (shared) this.openShared(shared);
    else if (begin.table) await this.openTable(readTable(begin.table));
    else if (begin.message) this.openMessage(begin.message, begin);
    else {
      this.preset(0);
      if (this.host.kind !== "notebook") this.guide.welcome(this.home);
    }
  }

  /** The first example, before its first correction, for the tour. */
  private openFirst(): void {
    if (this.examples.now.example !== "0") this.remember();
    this.guide.quests.end();
    this.preset(0);
    this.transport.leap(0);
  }

  /** The points of a challenge; those that were there before can be had by Undo. */
  private openChallenge({ title, X, y }: Challenge): void {
    this.remember();
    this.show(Data.of(["x1", "x2"], ["−1", "+1"], X.flat(), y, "challenge"), { ...USUAL });
    this.examples.name({ example: "own", look: `Points of the challenge “${title}”.`, origin: title });
  }

  /** An example, or back to the points of one's own. */
  private choose(value: string): void {
    this.remember();
    if (value === "own" && this.own) return this.restore(this.own);
    this.guide.quests.end(); // an example would be no solution of one's own
    this.preset(Number(value));
  }

  private preset(i: number): void {
    const one = this.examples.preset(i);
    if (!one) return;
    this.show(one.data, one.settings);
    this.examples.name(one.named);
  }

  /** An address was put into a page that is open already. */
  private openAddress(): void {
    if (location.hash.startsWith("#key=")) return location.reload();
    const shared = fromFragment(location.hash);
    if (shared) this.openShared(shared);
  }

  private openShared({ data, settings, k }: Shared): void {
    this.remember();
    this.show(data, settings, k);
  }

  private openMessage(message: ArrayBuffer, begin: Begin): void {
    const { columns } = unpack(message);
    const data = Data.of(begin.names, begin.classes ?? ["−1", "+1"], columns["X"], columns["y"], "given");
    if (begin.names.length !== 2) data.view = { kind: "all" };
    const settings = soundSettings(settingsOf(message));
    if (!begin.answer) return this.show(data, settings);
    this.load(data, settings, "end");
    this.asking.given(data, settings, fromPython(begin.answer));
  }

  /** A table, a certificate, or both. */
  private async openFiles(files: File[]): Promise<void> {
    const isCertificate = (file: File): boolean => file.name.toLowerCase().endsWith(".json");
    const proof = files.find(isCertificate),
      table = files.find((file) => !isCertificate(file));
    try {
      const content = await table?.arrayBuffer();
      if (proof) return await this.verify(new Uint8Array(await proof.arrayBuffer()), content);
      if (content) await this.openTable(await this.host.table(content, table!.name));
    } catch (why) {
      this.refuse(why);
    }
  }

  private async verify(proof: Uint8Array, table: ArrayBuffer | undefined): Promise<void> {
    const data = await verifyDialog(this.home, proof, table ? new Uint8Array(table) : null);
    if (!data) return;
    this.remember();
    this.show(data, { ...USUAL });
  }

  private async openTable(table: Table): Promise<void> {
    const data = await chooseTarget(table, this.home);
    if (!data) return;
    this.remember();
    this.show(data, { ...USUAL });
    this.nameTable();
  }

  private nameTable(): void {
    const { title, n, names, told } = this.data;
    const look = `${title}: ${count(n, "row")}, ${count(names.length, "feature")}, ${told}.`;
    this.examples.name({ example: "own", look, origin: title });
  }

  /** Put data on the stage, at correction k of the run or at its end. */
  private show(data: Data, settings: Settings, k: number | "end" = "end"): void {
    this.load(data, settings, k);
    this.compute(false);
  }

  private load(data: Data, settings: Settings, k: number | "end"): void {
    if (this.examples.now.example === "own" && this.data.n > 0) this.own = this.stage();
    this.examples.own = this.own !== null;
    this.data = data;
    this.settings = settings;
    this.asking.forget();
    this.replay = this.projection = null;
    this.plane.selected = null;
    this.plane.forget();
    this.transport.restart(k);
    this.examples.name({ example: "own", look: "", origin: "" });
    this.table.hidden = data.plain;
    this.notice.hidden = true;
    this.drawClasses();
    this.refit();
  }

  // ------------------------------------------------------------------------------------------------ what one can keep

  /** What there is to keep. */
  private now(): Now {
    const { data, settings, replay } = this;
    return { data, settings, replay, k: this.transport.k, names: this.written() };
  }

  private written(): Names {
    return { features: this.names(), classes: [this.data.written(-1), this.data.written(1)] };
  }

  // -------------------------------------------------------------------------------------------------- what one can do

  /** Something is about to change. */
  private remember(): void {
    if (this.examples.now.example !== "none") this.history.remember(this.stage());
  }

  private stage(): Stage {
    return { data: this.data.copy(), settings: this.settings, named: this.examples.now };
  }

  private undo(): void {
    this.takeBack(this.history.undo(this.stage()), "There is nothing to undo.", "Undone.");
  }

  private redo(): void {
    this.takeBack(this.history.redo(this.stage()), "There is nothing to redo.", "Redone.");
  }

  private takeBack(stage: Stage | null, none: string, done: string): void {
    if (stage) this.restore(stage);
    this.say(stage ? done : none);
  }

  /** Put a stage back as it was; the part of the plane that is seen stays, where the columns do. */
  private restore({ data, settings, named }: Stage): void {
    const seen = (one: Data): string => JSON.stringify([one.names, one.view, one.scaled]);
    const frame = seen(data) === seen(this.data) && data.n > 0 ? this.plane.frame : null;
    this.load(data.copy(), settings, "end");
    if (frame) this.plane.frame = frame;
    this.examples.name(named);
    this.compute(false);
  }

  private shortcut(event: KeyboardEvent): void {
    const at = event.composedPath()[0];
    const typing = at instanceof HTMLTextAreaElement || (at instanceof HTMLInputElement && at.type !== "radio");
    if (!(event.ctrlKey || event.metaKey) || event.altKey || typing) return;
    const key = event.key.toLowerCase();
    const act = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : null;
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    this[act]();
  }

  private addPoint(a: number, b: number, y: number): void {
    this.remember();
    const i = this.data.add(a, b, y);
    this.plane.selected = i;
    this.moved(`Point ${i + 1} of class ${this.data.className(y)} added at ${number(a)}, ${number(b)}.`);
    this.plane.focusPoint(i);
  }

  private addInTheMiddle(): void {
    const { x0, x1, y0, y1 } = this.plane.frame;
    if (this.data.movable) this.addPoint((x0 + x1) / 2, (y0 + y1) / 2, this.addClass);
    else this.refuse(new Refusal("In a projection points cannot be added. Learn from two features instead."));
  }

  private movePoint(i: number, a: number, b: number, done: boolean): void {
    if (!this.moving) this.remember();
    this.moving = !done;
    this.data.place(i, a, b);
    this.moved(done ? `Point ${i + 1} is at ${number(a)}, ${number(b)}.` : "", !done);
  }

  private removePoint(i: number | null): void {
    if (i === null) return;
    this.remember();
    this.data.remove(i);
    const next = Math.min(i, this.data.n - 1);
    this.plane.selected = next < 0 ? null : next;
    this.moved(`Point ${i + 1} deleted.`);
    if (next >= 0) this.plane.focusPoint(next);
  }

  private flipPoint(i: number): void {
    this.remember();
    this.data.flip(i);
    this.moved(`Point ${i + 1} is now of class ${this.data.className(this.data.y[i])}.`);
  }

  private flipChosen(): void {
    if (this.plane.selected !== null) this.flipPoint(this.plane.selected);
  }

  private clear(): void {
    this.remember();
    const frame = this.data.movable && !this.data.scaled ? this.plane.frame : { x0: -2, x1: 2, y0: -1.5, y1: 1.5 };
    this.show(emptyData(), this.settings);
    this.plane.frame = frame;
    this.render();
    this.say("All points removed. Undo brings them back.");
  }

  /** The points are others now. */
  private moved(words: string, draft = false): void {
    this.examples.edited();
    this.compute(draft);
    if (words) this.say(words);
  }

  private select(i: number | null): void {
    if (this.plane.selected === i) return;
    this.plane.selected = i;
    this.render();
  }

  private change(part: Partial<Settings>): void {
    this.remember();
    this.settings = { ...this.settings, ...part };
    this.examples.changed(this.settings);
    this.compute(false);
  }

  private lookAt({ positive, ...part }: Look): void {
    this.remember();
    Object.assign(this.data, part);
    this.data.touch();
    if (positive !== undefined) {
      this.data.against(positive);
      this.drawClasses();
      this.nameTable();
    }
    this.plane.selected = null;
    this.asking.forget();
    this.replay = this.projection = null;
    this.transport.restart("end");
    this.compute(false);
    this.refit();
  }

  private key(event: KeyboardEvent): void {
    const acts: Record<string, () => void> = {
      " ": () => this.transport.toggle(),
      ".": () => this.transport.leap(this.transport.k + 1),
      ",": () => this.transport.leap(this.transport.k - 1),
      n: () => this.addInTheMiddle(),
    };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    this.guide.tour.interrupt();
    act();
  }

  // ------------------------------------------------------------------------------------------------------ the answers

  private compute(draft: boolean): void {
    this.guide.tour.interrupt();
    if (!this.data.movable && this.settings.phi !== "x") this.settings = { ...this.settings, phi: "x" };
    this.asking.ask(this.data, this.settings, draft);
  }

  private showAnswer({ proofs, run, first }: { proofs: boolean; run: boolean; first: boolean }): void {
    const { result, learned } = this.asking;
    if (run) {
      this.replay = result ? new Replay(learned, result) : null;
      this.project();
      this.transport.resize(this.replay?.length ?? 0);
    }
    this.controls.update();
    if (proofs) this.drawProofs();
    if (first && !this.data.movable) this.refit();
    else this.render();
  }

  // ---------------------------------------------------------------------------------------------------------- drawing

  private drawProofs(): void {
    const { data, settings } = this;
    const { result, learned } = this.asking;
    this.question.textContent = `Can a ${learned.p > 2 ? "hyperplane" : "line"} tell them apart?`;
    const circumstances = { scaled: data.scaled, empty: data.n === 0 };
    this.verdict.replaceChildren(...verdictCard(result, settings, circumstances));
    const title = this.verdict.querySelector(".verdict-line")?.firstChild?.textContent ?? "";
    this.strip.textContent = title + (result?.verdict?.proved ? " · proved" : "");
    this.strip.className = `strip ${result?.verdict?.kind ?? ""}`;
    if (result) this.theorem.draw(result);
    this.guide.explainVerdict(result?.verdict?.kind);
  }

  private refit(): void {
    this.project();
    const { xs, ys } = places(this.data, this.projection, this.replay?.at(this.transport.length) ?? null);
    if (this.data.n > 0) this.plane.fit(xs, ys, this.data.movable);
    this.render();
  }

  /** Principal directions take a while; they are the same as long as the points are. */
  private project(): void {
    const points = this.data.points();
    if (this.data.movable) this.projection = null;
    else if (this.projection?.points !== points) this.projection = new Projection(points);
  }

  /** What the learner calls its weights. */
  private names(): string[] {
    const added = this.data.movable ? Object.keys(MAPS[this.settings.phi].added) : [];
    return [...this.data.columns.map((c) => this.data.names[c]), ...added];
  }

  private render(): void {
    const { data, settings, projection, replay } = this;
    const { learned, result, current } = this.asking;
    const k = this.transport.k;
    const w = replay?.at(k) ?? null;
    const before = replay && k > 0 ? replay.at(k - 1) : null;
    const moment: Moment = { data, settings, learned, projection, result, k, w, before };
    const wrong = wrongRows(moment);
    const mistakes = wrong.reduce((sum, v) => sum + v, 0);
    this.plane.draw(sceneOf(moment, wrong));
    this.transport.describe(mistakes);
    this.undoButton.disabled = !this.history.canUndo;
    this.redoButton.disabled = !this.history.canRedo;
    this.drawHint(mistakes);
    const projected = projection !== null;
    this.guide.draw({ learned, settings, result, w, current, classes: data.classes, projected });
    this.drawStep(moment);
    if (result && w) this.theorem.point(result, k, w);
  }

  private drawHint(mistakes: number): void {
    const { n, movable } = this.data;
    const parts = [`${whole(mistakes)} of ${whole(n)} on the wrong side now`];
    if (!movable) parts.push("in a projection points cannot be moved");
    else if (this.plane.stretched) parts.push("the axes have different scales, so right angles do not look right");
    this.hint.textContent = n === 0 ? "Click in the plane to add points." : parts.join(" · ");
  }

  private drawStep(moment: Moment): void {
    const { result, k, w, before, learned } = moment;
    const row = correctedRow(moment);
    if (!result || !w || !before || row === null) return this.step.replaceChildren(...startCard(w));
    const pass = this.settings.learner === "perceptron" ? passOf(result.passEnds, k) : null;
    const one = { k, K: this.transport.length, pass, row, step: result.steps[k - 1], before, after: w };
    const className = (y: number): string => this.data.className(y);
    this.step.replaceChildren(...stepCard(one, learned, this.names(), className, resolved(this.settings)));
  }

  private sayWhere(): void {
    const { k, length } = this.transport;
    const { result } = this.asking;
    if (k === length && result?.outcome) this.say(result.outcome.sentence);
    else if (k === 0 || !result) this.say("The start.");
    else this.say(`Correction ${k} of ${length}: point ${result.rows[k - 1] + 1}.`);
  }
}

function emptyData(): Data {
  return Data.of(["x1", "x2"], ["−1", "+1"], [], [], "empty");
}
