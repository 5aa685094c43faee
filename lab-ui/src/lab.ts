/** The lab: points, a run of the learner on them, and everything that shows it. */
import { Draws, fromPage, fromPython, proofsOf } from "./answer";
import { Controls } from "./controls";
import { Data } from "./data";
import { button, count, h, icon, number, whole } from "./dom";
import { expand, MAPS } from "./features";
import { recall, keep } from "./guide/keep";
import { Legend } from "./guide/legend";
import { oddities } from "./guide/odd";
import { Quests } from "./guide/quests";
import type { Challenge } from "./guide/challenges";
import { Tour } from "./guide/tour";
import { why, type REASONS } from "./guide/why";
import { settingsOf, type Begin, type Host } from "./host";
import { History } from "./history";
import { layout, menu, type Item } from "./layout";
import { pack, unpack } from "./pack";
import { Plane } from "./plane";
import { Projection } from "./projection";
import { answer } from "./proof/answer";
import { certificate, type Names } from "./proof/certificate";
import { prove } from "./proof/prove";
import { Refusal } from "./refusal";
import { Replay } from "./replay";
import { rivals } from "./rivals";
import { correctionsCsv, download, learnedCsv, png, pointsCsv } from "./save";
import { correctedRow, places, sceneOf, wrongRows, type Moment } from "./scene";
import { fromFragment, shareDialog, toFragment, tooLarge, type Shared } from "./share";
import { startCard, stepCard } from "./step";
import { chooseTarget, readTable, type Table } from "./table";
import { passOf, TheoremCharts } from "./theorem";
import { Transport } from "./transport";
import { resolved, soundSettings, twoClasses, USUAL } from "./types";
import type { Points, Preset, Result, Settings, Verdict } from "./types";
import { verdictCard } from "./verdict";
import { verifyDialog } from "./verify";

const PREVIEW = { corrections: 20_000, presentations: 60_000 }; // a few milliseconds
const ALONE = 5_000_000; // presentations, where no Python will take over
const AT_ONCE = 20_000; // n·d·d up to which a proof takes no longer than a frame

const BACK = "M7 3L2 7L7 11V8.5C11 8.5 13 10 14 13C14 8 11 5.5 7 5.5Z"; // arrows of the buttons
const FORTH = "M9 3L14 7L9 11V8.5C5 8.5 3 10 2 13C2 8 5 5.5 9 5.5Z";

let labs = 0; // a notebook may show several

/** What undo brings back. */
interface Stage {
  data: Data;
  settings: Settings;
  /** Of the example chosen, or "own"; and what is said of it. */
  example: string;
  look: string;
  /** What the points were made from. */
  origin: string;
}

export class Lab {
  private data = emptyData();
  private settings: Settings = { ...USUAL };
  private result: Result | null = null;
  private learned: Points = { n: 0, p: 2, X: new Float64Array(), y: new Int8Array() };
  private replay: Replay | null = null;
  private projection: Projection | null = null;
  private presets: Preset[] = [];
  private addClass = 1;
  private example = "none";
  private origin = "";
  private version = 0; // of points and settings
  private flying = false;
  private queued: { draft: boolean } | null = null;
  private readonly draws = new Draws();
  private readonly history = new History<Stage>();
  private moving = false; // whether a point is on its way
  private own: Stage | null = null; // the points somebody made, while an example is looked at
  private explained: Verdict["kind"] | undefined; // the kind that "Why?" is about
  private book: string | null = null; // where its pages are

  private readonly plane: Plane;
  private readonly controls: Controls;
  private readonly theorem: TheoremCharts;
  private readonly legend = new Legend();
  private readonly tour: Tour;
  private readonly quests = new Quests((one) => this.openChallenge(one));
  private readonly transport = new Transport(
    () => this.render(),
    () => this.sayWhere(),
  );
  private readonly group = `rosenblatt-class-${++labs}`;
  private readonly home: HTMLElement;
  private readonly saving = h("div", { class: "saving" });
  private readonly presetSelect = h("select", { "aria-label": "Example" });
  private readonly look = h("p", { class: "look" });
  private readonly classes = h("div", { class: "classes", role: "radiogroup", "aria-label": "Class of new points" });
  private readonly strip = h("p", { class: "strip", "aria-hidden": "true" });
  private readonly undoButton = button("Undo", icon(BACK), () => this.undo());
  private readonly redoButton = button("Redo", icon(FORTH), () => this.redo());
  private readonly hint = h("p", { class: "hint" });
  private readonly odd = h("ul", { class: "odd", "aria-label": "What is odd here" });
  private readonly why = { verdict: h("div"), step: h("div"), theorem: h("div"), learner: h("div") };
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
    this.tour = new Tour({
      open: () => this.openFirst(),
      go: (k) => this.transport.go(k),
      n: () => this.data.n,
      corrections: () => this.transport.length,
      point: (k) => this.result!.rows[k - 1] + 1,
      dress: (hidden, shown) => Object.assign(this.plane.element.dataset, { hidden, shown }),
      ended: () => keep("toured", "yes"),
      challenge: () => this.quests.start(),
    });
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
    this.presetSelect.addEventListener("change", () => this.choose(this.presetSelect.value));
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
    const share = h("button", { type: "button", click: () => void this.share() }, "Share…");
    const tourTitle = "A run from its beginning, with a caption for each thing that appears";
    const tour = h("button", { type: "button", title: tourTitle, click: () => this.tour.begin() }, "Tour");
    const example = h("label", { class: "example" }, h("span", {}, "Example"), this.presetSelect);
    return layout({
      header: [example, tour, upload, file, share, this.saving],
      look: this.look,
      tools: [
        this.classes,
        button("Add point in the middle", "Add point", () => this.addInTheMiddle()),
        button("Delete the chosen point", "Delete", () => this.removePoint(this.plane.selected)),
        button("Change the class of the chosen point", "Flip", () => this.flipChosen()),
        button("Clear all points", "Clear", () => this.clear()),
        this.undoButton,
        this.redoButton,
        button("Fit all points", "Fit", () => this.refit()),
      ],
      strip: this.strip,
      coach: [this.tour.element, this.quests.element],
      plane: this.plane.element,
      transport: this.transport.element,
      hint: this.hint,
      odd: this.odd,
      legend: this.legend.element,
      challenges: this.quests.list,
      why: this.why,
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
      this.transport.element.addEventListener(act, () => this.tour.interrupt());
    }
    root.addEventListener("dragover", (event) => event.preventDefault());
    root.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.openFiles([...(event.dataTransfer?.files ?? [])]);
    });
    if (this.host.kind !== "notebook") addEventListener("hashchange", () => this.openAddress());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.plane.forget();
      this.render();
    });
  }

  private drawSaving(report: boolean): void {
    const items: Item[] = [
      { label: "Picture (PNG)", act: () => void png(this.plane).then((blob) => download("perceptron.png", blob)) },
      { label: "Points (CSV)", act: () => download("points.csv", pointsCsv(this.data)) },
      { label: "Corrections (CSV)", act: () => this.saveCorrections() },
      { label: "Certificate (JSON) and its table (CSV)", act: () => this.saveCertificate() },
      { label: "This lab (one HTML file)", act: () => void this.saveLab() },
    ];
    if (report) items.unshift({ label: "Report (HTML)", act: () => void this.saveReport() });
    this.saving.replaceChildren(menu("Save", items, this.home));
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
    this.presets = begin.presets;
    this.book = begin.book;
    this.explain("step", "step");
    this.explain("theorem", "theorem");
    this.explain("learner", "recipes");
    this.drawSaving(begin.report);
    const names = this.presets.map((one, i) => h("option", { value: i }, one.name));
    this.presetSelect.replaceChildren(...names, h("option", { value: "own", hidden: true }, "My own points"));
    const inAddress = this.host.kind === "notebook" ? null : fromFragment(location.hash);
    const shared = inAddress ?? fromFragment(begin.state ?? "");
    if (shared) this.openShared(shared);
    else if (begin.table) await this.openTable(readTable(begin.table));
    else if (begin.message) this.openMessage(begin.message, begin);
    else {
      this.preset(0);
      const seen = this.home.getClientRects().length > 0;
      if (seen && this.host.kind !== "notebook" && recall("toured") === null) this.tour.begin();
    }
  }

  /** The first example, before its first correction, for the tour. */
  private openFirst(): void {
    if (this.example !== "0") this.remember();
    this.quests.end();
    this.preset(0);
    this.transport.leap(0);
  }

  /** The points of a challenge; those that were there before can be had by Undo. */
  private openChallenge({ title, X, y }: Challenge): void {
    this.remember();
    this.show(Data.of(["x1", "x2"], ["−1", "+1"], X.flat(), y, "challenge"), { ...USUAL });
    this.nameExample("own", `Points of the challenge “${title}”.`, title);
  }

  private explain(card: keyof Lab["why"], reason: keyof typeof REASONS): void {
    this.why[card].replaceChildren(why(reason, this.book));
  }

  /** An example, or back to the points of one's own. */
  private choose(value: string): void {
    this.remember();
    if (value === "own" && this.own) return this.restore(this.own);
    this.quests.end(); // an example would be no solution of one's own
    this.preset(Number(value));
  }

  private preset(i: number): void {
    const one = this.presets[i];
    if (!one) return;
    const data = Data.of(one.names, ["−1", "+1"], one.X, one.y, "preset");
    if (one.names.length > 2) {
      data.view = { kind: "all" };
      data.scaled = true;
    }
    this.show(data, { ...USUAL, ...one.settings });
    this.nameExample(String(i), one.look, one.name);
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
    this.learned = expand(data.points(), this.settings.phi);
    this.accept(fromPython(begin.answer));
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
    const size = `${count(data.n, "row")}, ${count(data.names.length, "feature")}`;
    this.nameExample("own", `${data.title}: ${size}, classes ${data.classes.join(" and ")}.`, data.title);
  }

  /** Put data on the stage, at correction k of the run or at its end. */
  private show(data: Data, settings: Settings, k: number | "end" = "end"): void {
    this.load(data, settings, k);
    this.compute(false);
  }

  private load(data: Data, settings: Settings, k: number | "end"): void {
    if (this.example === "own" && this.data.n > 0) this.own = this.stage();
    this.data = data;
    this.settings = settings;
    this.result = this.replay = this.projection = null;
    this.plane.selected = null;
    this.plane.forget();
    this.transport.restart(k);
    this.nameExample("own", "");
    this.table.hidden = data.names.length === 2 && !data.scaled;
    this.notice.hidden = true;
    this.drawClasses();
    this.refit();
  }

  // ------------------------------------------------------------------------------------------------ what one can keep

  private async share(): Promise<void> {
    const code = tooLarge(this.data) ? null : this.state();
    if (code && this.host.kind === "server") history.replaceState(null, "", `#${code}`);
    const page = this.host.kind === "file" && location.protocol !== "file:" ? location.href.split("#")[0] : null;
    const given = await shareDialog(this.home, {
      code,
      page,
      copied: () => this.say("Copied."),
      save: () => void this.saveLab(),
    });
    if (given === null) return;
    const shared = fromFragment(given.includes("#") ? given : `#${given}`);
    if (shared) this.openShared(shared);
    else this.refuse(new Refusal("That is not the address of a state of the lab."));
  }

  /** Points, settings and the correction shown, as an address has them. */
  private state(): string {
    return toFragment(this.data, this.settings, this.transport.k);
  }

  private async saveLab(): Promise<void> {
    try {
      download("lab.html", await this.host.oneFile(this.state()));
    } catch (why) {
      this.refuse(why);
    }
  }

  /** What proves the verdict, and the points it is about, as the learner has them. */
  private saveCertificate(): void {
    const { learned, data } = this;
    if (learned.n === 0) return this.refuse(new Refusal("There is nothing to prove: add points first."));
    const names = this.written();
    const content = JSON.stringify(certificate(prove(learned), learned, names), null, 1);
    download("certificate.json", new Blob([content], { type: "application/json" }));
    download("certified.csv", learnedCsv(names.features, learned, data));
  }

  private written(): Names {
    return { features: this.names(), classes: [this.data.written(-1), this.data.written(1)] };
  }

  private saveCorrections(): void {
    if (this.replay && this.result) download("corrections.csv", correctionsCsv(this.result, this.replay, this.names()));
  }

  private async saveReport(): Promise<void> {
    const names = this.data.columns.map((c) => this.data.names[c]);
    const message = this.message({ names, classes: this.data.classes, settings: this.settings });
    try {
      this.say("Writing the report …");
      download("report.html", new Blob([await this.host.report!(message)], { type: "text/html" }));
    } catch (why) {
      this.refuse(why);
    }
  }

  // -------------------------------------------------------------------------------------------------- what one can do

  /** Something is about to change. */
  private remember(): void {
    if (this.example !== "none") this.history.remember(this.stage());
  }

  private stage(): Stage {
    const { data, settings, example, origin } = this;
    return { data: data.copy(), settings, example, origin, look: this.look.textContent ?? "" };
  }

  /** Which example is on the stage, what is said of it, and what points made from it are said to be from. */
  private nameExample(example: string, look: string, origin = ""): void {
    this.example = example;
    this.origin = origin;
    const mine = this.presetSelect.querySelector<HTMLOptionElement>("[value=own]");
    if (mine) mine.hidden = this.own === null && example !== "own";
    this.presetSelect.value = example;
    this.look.textContent = look;
    this.look.style.minHeight = "";
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
  private restore({ data, settings, example, look, origin }: Stage): void {
    const seen = (one: Data): string => JSON.stringify([one.names, one.view, one.scaled]);
    const frame = seen(data) === seen(this.data) && data.n > 0 ? this.plane.frame : null;
    this.load(data.copy(), settings, "end");
    if (frame) this.plane.frame = frame;
    this.nameExample(example, look, origin);
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
    const look = this.origin ? `Your own points (from “${this.origin}”).` : "Your own points.";
    if (this.example !== "own" || this.look.textContent !== look) this.sayLook("own", look);
    this.compute(draft);
    if (words) this.say(words);
  }

  /** Another caption for the same points; the plane stays under the finger. */
  private sayLook(example: string, look: string): void {
    const { height } = this.look.getBoundingClientRect();
    this.nameExample(example, look, this.origin);
    this.look.style.minHeight = `${height}px`;
  }

  private select(i: number | null): void {
    if (this.plane.selected === i) return;
    this.plane.selected = i;
    this.render();
  }

  private change(part: Partial<Settings>): void {
    this.remember();
    this.settings = { ...this.settings, ...part };
    this.recaption();
    this.compute(false);
  }

  /** What an example is for may not be true of it with other settings. */
  private recaption(): void {
    const one = this.presets[Number(this.example)];
    if (!one) return;
    const told = ({ rivals, limit, seed, ...rest }: Settings): string => JSON.stringify(rest);
    const usual = told(this.settings) === told({ ...USUAL, ...one.settings });
    this.sayLook(this.example, usual ? one.look : `“${one.name}”, with other settings.`);
  }

  private lookAt(part: { view?: Data["view"]; scaled?: boolean }): void {
    Object.assign(this.data, part);
    this.data.touch();
    this.plane.selected = null;
    this.result = this.replay = this.projection = null;
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
    this.tour.interrupt();
    act();
  }

  // ------------------------------------------------------------------------------------------------------ the answers

  /** Show this page's own run at once, and ask Python for the run and the proofs. */
  private compute(draft: boolean): void {
    this.tour.interrupt();
    this.version++;
    if (!this.data.movable && this.settings.phi !== "x") this.settings = { ...this.settings, phi: "x" };
    this.learned = expand(this.data.points(), this.settings.phi);
    this.preview(draft);
    if (this.host.trace) void this.ask(draft);
  }

  private preview(draft: boolean): void {
    const { settings, learned, result } = this;
    const alone = this.host.trace === null;
    const d = learned.p + 1;
    const draw = alone ? this.draws.make(settings, d) : this.draws.find(settings, d);
    if (!draw) return this.take(null);
    const most = alone ? settings.limit : Math.min(PREVIEW.corrections, settings.limit);
    const budget = { corrections: most, presentations: alone && !draft ? ALONE : PREVIEW.presentations };
    const own = fromPage(learned, settings, draw, budget);
    if (alone) return this.decide(own);
    const proofs = result?.d === d ? proofsOf(result) : null; // of a moment ago: better than none
    this.take({ ...own, ...proofs }, proofs === null);
  }

  /** Without Python: the proofs are made here, at once where they are quick. */
  private decide(own: Result): void {
    const { learned, settings, version } = this;
    if (learned.n === 0) return this.take(own);
    const first = !this.result?.verdict;
    const finish = (): void => {
      if (version !== this.version) return;
      const lines = twoClasses(learned) ? rivals(learned, settings.rivals) : [];
      this.take({ ...own, ...answer(learned, settings, own, this.written()), rivals: lines });
      if (first && !this.data.movable) this.refit();
    };
    if (learned.n * (learned.p + 1) ** 2 <= AT_ONCE) return finish();
    this.take(own);
    setTimeout(finish, 30); // the page is drawn first
  }

  /** One question in flight; what is asked meanwhile waits, and only the latest of it. */
  private async ask(draft: boolean): Promise<void> {
    if (this.flying) {
      this.queued = { draft };
      return;
    }
    this.flying = true;
    const { version, settings, learned } = this;
    try {
      const result = fromPython(await this.host.trace!(this.message({ settings: { ...settings, draft } })));
      this.draws.remember(settings, result);
      if (version === this.version) this.accept(result);
      else if (settings === this.settings && learned.n === this.learned.n && this.result?.d === result.d) {
        this.take({ ...this.result, ...proofsOf(result) }, true, false); // the point is still on its way
      }
      this.notice.hidden = true;
    } catch (why) {
      if (version === this.version) this.refuse(why);
    } finally {
      this.flying = false;
    }
    const next = this.queued;
    this.queued = null;
    if (next) void this.ask(next.draft);
  }

  /** The points at hand, for Python. */
  private message(more: Record<string, unknown>): Uint8Array<ArrayBuffer> {
    const { n, p, X, y } = this.data.points();
    return pack({ n, p, ...more }, { X, y });
  }

  private accept(result: Result): void {
    const first = !this.result?.verdict;
    const rivals = result.rivals.length > 0 ? result.rivals : (this.result?.rivals ?? []); // a draft brings none
    this.take({ ...result, rivals });
    if (first && !this.data.movable) this.refit();
  }

  /** Show a result: `proofs` says whether it brings any, `run` whether the run is another. */
  private take(result: Result | null, proofs = true, run = true): void {
    this.result = result;
    if (run) {
      this.replay = result ? new Replay(this.learned, result) : null;
      this.project();
      this.transport.resize(this.replay?.length ?? 0);
    }
    this.controls.update();
    if (proofs) this.drawProofs();
    this.render();
  }

  // ---------------------------------------------------------------------------------------------------------- drawing

  private drawProofs(): void {
    const { result, data, settings } = this;
    this.question.textContent = `Can a ${this.learned.p > 2 ? "hyperplane" : "line"} tell them apart?`;
    const circumstances = { scaled: data.scaled, empty: data.n === 0 };
    this.verdict.replaceChildren(...verdictCard(result, settings, circumstances));
    const title = this.verdict.querySelector(".verdict-line")?.firstChild?.textContent ?? "";
    this.strip.textContent = title + (result?.verdict?.proved ? " · proved" : "");
    this.strip.className = `strip ${result?.verdict?.kind ?? ""}`;
    if (result) this.theorem.draw(result);
    const kind = result?.verdict?.kind;
    if (kind === this.explained) return;
    this.explained = kind;
    if (kind && kind !== "unknown") this.explain("verdict", kind);
    else this.why.verdict.replaceChildren();
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
    const { data, settings, learned, projection, result, replay } = this;
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
    this.drawOdd(w);
    this.legend.draw(result, data.classes, projection !== null);
    this.quests.judge(learned, settings, result);
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

  private drawOdd(w: Float64Array | null): void {
    const words = oddities(this.learned, this.settings, w, this.result?.verdict ?? null);
    if (words.join() !== [...this.odd.children].map((one) => one.textContent).join())
      this.odd.replaceChildren(...words.map((one) => h("li", {}, one)));
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
    if (k === length && this.result?.outcome) this.say(this.result.outcome.sentence);
    else if (k === 0 || !this.result) this.say("The start.");
    else this.say(`Correction ${k} of ${length}: point ${this.result.rows[k - 1] + 1}.`);
  }
}

function emptyData(): Data {
  return Data.of(["x1", "x2"], ["−1", "+1"], [], [], "empty");
}
