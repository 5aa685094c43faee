/** The lab: points, a run of the learner on them, and everything that shows it. */
import { Draws, fromPage, fromPython } from "./answer";
import { Controls } from "./controls";
import { Data } from "./data";
import { count, h, number, s, whole } from "./dom";
import { expand, MAPS, response } from "./features";
import { Refusal, settingsOf, type Begin, type Host } from "./host";
import { pack, unpack } from "./pack";
import { rowDot } from "./perceptron";
import { Plane, type Line, type Scene } from "./plane";
import { Projection } from "./projection";
import { Replay } from "./replay";
import { correctionsCsv, download, png, pointsCsv } from "./save";
import { fromFragment, toFragment, tooLarge, type Shared } from "./share";
import { stepCard } from "./step";
import { chooseTarget, readTable } from "./table";
import { passOf, TheoremCharts } from "./theorem";
import { resolved, USUAL, type Points, type Preset, type Result, type Settings } from "./types";
import { verdictCard } from "./verdict";

const PREVIEW = { corrections: 20_000, presentations: 60_000 }; // a few milliseconds
const ALONE = 5_000_000; // presentations, where no Python will take over
let labs = 0;
const SPEEDS = [1, 2, 5, 20, 100, 1000, 10_000];

export class Lab {
  private data = Data.of(["x1", "x2"], ["−1", "+1"], [], [], "empty");
  private settings: Settings = { ...USUAL };
  private result: Result | null = null;
  private learned: Points = { n: 0, p: 2, X: new Float64Array(), y: new Int8Array() };
  private replay: Replay | null = null;
  private projection: Projection | null = null;
  private readonly draws = new Draws();
  private presets: Preset[] = [];
  private addClass = 1;
  private readonly group = `rosenblatt-class-${++labs}`; // a notebook may show several labs
  private k = 0;
  private playing = false;
  private ownSpeed: number | null = null;
  private version = 0;
  private flying = false;
  private queued: { draft: boolean } | null = null;
  private edited = false;

  private readonly plane: Plane;
  private readonly controls: Controls;
  private readonly theorem: TheoremCharts;
  private readonly presetSelect = h("select", { "aria-label": "Example" });
  private readonly look = h("p", { class: "look" });
  private readonly notice = h("div", { class: "notice", role: "alert", hidden: true });
  private readonly spoken = h("div", { class: "spoken", role: "status", "aria-live": "polite" });
  private readonly question = h("h2", {}, "Can a line tell them apart?");
  private readonly verdict = h("div", { class: "verdict" });
  private readonly step = h("div", { class: "step" });
  private readonly slider = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Correction" });
  private readonly counter = h("output", { class: "counter" });
  private readonly playButton = h("button", { type: "button", class: "play primary" });
  private readonly speed = h("select", { "aria-label": "Speed" });
  private readonly classes = h("div", { class: "classes", role: "radiogroup", "aria-label": "Class of new points" });
  private readonly hint = h("p", { class: "hint" });
  private readonly viewCard: HTMLElement;
  private reportItem: HTMLElement | null = null;

  constructor(private readonly root: HTMLElement, private readonly host: Host) {
    this.plane = new Plane({
      add: (a, b, other) => this.addPoint(a, b, other ? -this.addClass : this.addClass),
      move: (i, a, b, done) => this.movePoint(i, a, b, done),
      remove: (i) => this.removePoint(i),
      flip: (i) => this.flipPoint(i),
      select: (i) => this.select(i),
      key: (event) => this.key(event),
    }, () => this.refit());
    this.controls = new Controls(() => this.settings, () => this.data, (part) => this.change(part), (part) => this.lookAt(part));
    this.theorem = new TheoremCharts((k) => this.go(Math.min(this.length, Math.round(k))));
    this.viewCard = h("section", { class: "card", hidden: true }, h("h2", {}, "Table"), this.controls.view);
    this.build();
    root.addEventListener("pointerdown", (event) => {
      const menu = root.querySelector<HTMLDetailsElement>(".menu[open]");
      if (menu && !event.composedPath().includes(menu)) menu.open = false;
    });
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") root.querySelector(".menu[open]")?.removeAttribute("open");
    });
    if (host.kind !== "notebook") addEventListener("hashchange", () => this.openAddress());
    // a notebook must not take our keys for its own
    root.addEventListener("keydown", (event) => event.stopPropagation());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.plane.forget();
      this.render();
    });
  }

  async begin(): Promise<void> {
    try {
      await this.open(await this.host.begin());
    } catch (why) {
      this.refuse(why);
      this.render();
    }
  }

  private async open(begin: Begin): Promise<void> {
    this.presets = begin.presets;
    if (this.reportItem) this.reportItem.hidden = !begin.report;
    this.presetSelect.replaceChildren(...this.presets.map((one, i) => h("option", { value: i }, one.name)), h("option", { value: "own", hidden: true }, "My own points"));
    const shared = this.host.kind === "notebook" ? null : fromFragment(location.hash);
    if (shared) this.openShared(shared);
    else if (begin.table) await this.openTable(begin.table);
    else if (begin.message) this.openMessage(begin.message, begin);
    else this.preset(0);
  }

  /** An address was put into a page that is open already. */
  private openAddress(): void {
    if (location.hash.startsWith("#key=")) return location.reload();
    const shared = fromFragment(location.hash);
    if (shared) this.openShared(shared);
  }

  private openShared({ data, settings, k }: Shared): void {
    this.presetSelect.value = "own";
    this.look.textContent = "";
    this.show(data, settings, k);
  }

  private openMessage(message: ArrayBuffer, begin: Begin): void {
    const { columns } = unpack(message);
    const data = Data.of(begin.names, begin.classes ?? ["−1", "+1"], columns["X"], columns["y"], "given");
    if (begin.names.length !== 2) data.view = { kind: "all" };
    this.presetSelect.value = "own";
    this.look.textContent = "";
    this.load(data, { ...USUAL, ...settingsOf(message) });
    this.learned = expand(data.points(), this.settings.phi);
    this.edited = false;
    if (begin.answer) this.accept(fromPython(begin.answer));
    else this.compute(false);
    this.go(this.length);
  }

  // -------------------------------------------------------------------------------------------------------- the page

  private build(): void {
    const button = (label: string, text: string | Node, press: () => void, look = ""): HTMLButtonElement =>
      h("button", { type: "button", class: look, "aria-label": label, title: label, click: press }, text);
    const file = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", class: "spoken", tabindex: -1, "aria-label": "A table in a CSV file" });
    file.addEventListener("change", () => void this.upload(file));
    const saving: [string, () => void, boolean?][] = [
      ["Report (HTML)", () => void this.saveReport(), true],
      ["Picture (PNG)", () => void png(this.plane).then((blob) => download("perceptron.png", blob))],
      ["Points (CSV)", () => download("points.csv", pointsCsv(this.data))],
      ["Corrections (CSV)", () => this.replay && this.result && download("corrections.csv", correctionsCsv(this.result, this.replay, this.names()))],
    ];
    const menu = h("details", { class: "menu" }, h("summary", {}, "Save"), h("div", { class: "menu-items" }, ...saving.map(([label, act, written]) => {
      const item = h("button", { type: "button", hidden: written === true, click: () => { menu.open = false; act(); } }, label);
      if (written) this.reportItem = item;
      return item;
    })));
    this.presetSelect.addEventListener("change", () => this.preset(Number(this.presetSelect.value)));
    this.slider.addEventListener("input", () => {
      this.pause();
      this.go(Number(this.slider.value));
    });
    this.speed.append(...SPEEDS.map((v) => h("option", { value: v }, `${whole(v)} a second`)));
    this.speed.addEventListener("change", () => (this.ownSpeed = Number(this.speed.value)));
    this.playButton.addEventListener("click", () => this.toggle());
    const transport = h("div", { class: "transport", role: "group", "aria-label": "Replay" },
      button("To the start", icon("M3 2V14M13 2L5 8L13 14Z"), () => this.leap(0)),
      button("One correction back", icon("M11 3L4 8L11 13Z"), () => this.leap(this.k - 1)),
      this.playButton,
      button("One correction forward", icon("M5 3L12 8L5 13Z"), () => this.leap(this.k + 1)),
      button("To the end", icon("M13 2V14M3 2L11 8L3 14Z"), () => this.leap(this.length)),
      this.slider, this.counter, this.speed);
    const tools = h("div", { class: "tools" }, this.classes,
      button("Add point in the middle", "Add point", () => this.addInTheMiddle()),
      button("Delete the chosen point", "Delete", () => this.plane.selected !== null && this.removePoint(this.plane.selected)),
      button("Clear all points", "Clear", () => this.clear()),
      button("Fit all points", "Fit", () => this.refit()));
    const keys = h("details", { class: "keys" }, h("summary", {}, "Keys"), h("dl", {}, ...[
      ["Click", "adds a point of the chosen class; with Shift, of the other"], ["Drag", "moves a point"],
      ["Tab", "goes to the points"], ["Page Up, Page Down", "previous and next point"], ["Arrows", "move the point; with Shift, further"],
      ["Delete", "removes it"], ["C", "changes its class"], ["N", "adds a point"], ["Space", "plays and pauses"], [", and .", "one correction back and forward"],
    ].flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)])));
    const header = h("header", {},
      h("h1", {}, "Perceptron lab"), h("label", { class: "example" }, h("span", {}, "Example"), this.presetSelect),
      this.host.table !== null && h("button", { type: "button", title: "Open a table of your own", click: () => file.click() }, "Table…"), file,
      h("button", { type: "button", click: () => this.share() }, "Share…"), menu);
    const main = h("main", {},
      h("section", { class: "stage", "aria-label": "Plane and replay" }, this.look, tools, this.plane.element, transport, this.hint, h("section", { class: "card", "aria-label": "This correction" }, this.step)),
      h("div", { class: "side" },
        h("section", { class: "card" }, this.question, this.verdict),
        this.viewCard,
        h("section", { class: "card" }, h("h2", {}, "Learner"), this.controls.learner),
        h("section", { class: "card" }, keys)),
      h("section", { class: "card under" }, h("h2", {}, "The convergence theorem at work"), this.theorem.element));
    this.root.append(h("div", { class: "lab" }, header, this.notice, main, this.spoken));
    this.drawPlayButton();
  }

  private drawClasses(): void {
    this.classes.replaceChildren(...[1, -1].map((y) => {
      const input = h("input", { type: "radio", name: this.group, value: y });
      input.checked = this.addClass === y;
      input.addEventListener("change", () => (this.addClass = y));
      return h("label", { class: y > 0 ? "positive" : "negative" }, input, h("span", { class: "mark", "aria-hidden": "true" }), h("span", {}, this.data.className(y)));
    }));
  }

  private drawPlayButton(): void {
    this.playButton.replaceChildren(icon(this.playing ? "M4 2H7V14H4ZM9 2H12V14H9Z" : "M4 2L14 8L4 14Z"));
    this.playButton.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.playButton.title = this.playing ? "Pause" : "Play";
  }

  // ------------------------------------------------------------------------------------------------ what one can load

  private preset(i: number): void {
    const one = this.presets[i];
    if (!one) return;
    this.presetSelect.value = String(i);
    this.look.textContent = one.look;
    const data = Data.of(one.names, ["−1", "+1"], one.X, one.y, "preset");
    if (one.names.length > 2) {
      data.view = { kind: "all" };
      data.scaled = true;
    }
    this.show(data, { ...USUAL, ...one.settings }, null);
  }

  /** Put data on the stage; k is the correction to show, or null for the last. */
  private show(data: Data, settings: Settings, k: number | null): void {
    this.load(data, settings);
    this.compute(false);
    this.go(k ?? this.length);
    this.atEnd = k === null;
  }

  private atEnd = true;

  private load(data: Data, settings: Settings): void {
    this.pause();
    this.data = data;
    this.settings = settings;
    this.plane.selected = null;
    this.plane.forget();
    this.result = null;
    this.replay = null;
    this.ownSpeed = null;
    this.k = 0;
    this.atEnd = true;
    this.edited = true; // no longer what a file came with
    this.viewCard.hidden = data.names.length === 2 && !data.scaled;
    this.notice.hidden = true;
    this.drawClasses();
    this.refit();
  }

  private async upload(input: HTMLInputElement): Promise<void> {
    const chosen = input.files?.[0];
    input.value = "";
    if (!chosen || !this.host.table) return;
    try {
      await this.openTable(await this.host.table(await chosen.arrayBuffer()), chosen.name);
    } catch (why) {
      this.refuse(why);
    }
  }

  private async openTable(buffer: ArrayBuffer, name?: string): Promise<void> {
    const table = readTable(buffer);
    const data = await chooseTarget(name ? { ...table, name } : table, this.root.querySelector(".lab")!);
    if (!data) return;
    this.presetSelect.value = "own";
    this.look.textContent = `${data.title}: ${count(data.n, "row")}, ${count(data.names.length, "feature")}, classes ${data.classes.join(" and ")}.`;
    this.show(data, { ...USUAL }, null);
  }

  private async saveReport(): Promise<void> {
    const names = this.data.columns.map((c) => this.data.names[c]);
    try {
      this.say("Writing the report …");
      const page = await this.host.report!(this.message({ names, classes: this.data.classes, settings: this.settings }));
      download("report.html", new Blob([page], { type: "text/html" }));
    } catch (why) {
      this.refuse(why);
    }
  }

  /** The points at hand, for Python. */
  private message(more: Record<string, unknown>): Uint8Array<ArrayBuffer> {
    const { n, p, X, y } = this.data.points();
    return pack({ n, p, ...more }, { X, y });
  }

  private share(): void {
    const field = h("textarea", { rows: 4, readonly: true, "aria-label": "Address of this state" });
    const other = h("input", { type: "text", "aria-label": "An address or code somebody shared", placeholder: "Paste what somebody shared" });
    const large = tooLarge(this.data);
    const code = large ? "" : toFragment(this.data, this.settings, this.k);
    field.value = large ? "" : `${this.host.kind === "notebook" ? "" : location.href.split("#")[0]}#${code}`;
    if (!large && this.host.kind === "server") history.replaceState(null, "", `#${code}`);
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": "lab-share-title" },
      h("form", { method: "dialog" }, h("h2", { id: "lab-share-title" }, "Share this state"),
        large ? h("p", {}, "These points are too many for an address. Save them as CSV instead.") : h("p", { class: "muted" }, "Points, settings and the correction shown are all in the address, after the #. It works in anybody’s lab."),
        !large && field,
        h("div", { class: "paste" }, other, h("button", { value: "open" }, "Open")),
        h("div", { class: "dialog-buttons" }, h("button", { value: "" }, "Close"),
          !large && h("button", { type: "button", class: "primary", click: () => void navigator.clipboard?.writeText(field.value).then(() => this.say("Copied.")) }, "Copy"))));
    this.root.querySelector(".lab")!.append(dialog);
    dialog.showModal();
    field.select();
    field.scrollTop = 0;
    dialog.addEventListener("close", () => {
      const shared = dialog.returnValue === "open" ? fromFragment(other.value.includes("#") ? other.value : `#${other.value}`) : null;
      if (shared) this.openShared(shared);
      else if (dialog.returnValue === "open") this.refuse(new Refusal("That is not the address of a state of the lab."));
      dialog.remove();
    }, { once: true });
  }

  // --------------------------------------------------------------------------------------------- what one can do

  private addPoint(a: number, b: number, y: number): void {
    const i = this.data.add(a, b, y);
    this.select(i);
    this.changed(`Point ${i + 1} of class ${this.data.className(y)} added at ${number(a)}, ${number(b)}.`);
    this.plane.focusPoint(i);
  }

  private addInTheMiddle(): void {
    if (!this.data.movable) return this.refuse(new Refusal("In a projection points cannot be added. Learn from two features instead."));
    const { x0, x1, y0, y1 } = this.plane.frame;
    this.addPoint((x0 + x1) / 2, (y0 + y1) / 2, this.addClass);
  }

  private movePoint(i: number, a: number, b: number, done: boolean): void {
    this.data.place(i, a, b);
    this.changed(done ? `Point ${i + 1} is at ${number(a)}, ${number(b)}.` : null, !done);
  }

  private removePoint(i: number): void {
    this.data.remove(i);
    const next = Math.min(i, this.data.n - 1);
    this.plane.selected = next < 0 ? null : next;
    this.changed(`Point ${i + 1} deleted.`);
    if (next >= 0) this.plane.focusPoint(next);
  }

  private flipPoint(i: number): void {
    this.data.flip(i);
    this.changed(`Point ${i + 1} is now of class ${this.data.className(this.data.y[i])}.`);
  }

  private clear(): void {
    const frame = this.data.movable && !this.data.scaled ? this.plane.frame : { x0: -2, x1: 2, y0: -1.5, y1: 1.5 };
    this.presetSelect.value = "own";
    this.look.textContent = "";
    this.show(Data.of(["x1", "x2"], ["−1", "+1"], [], [], "empty"), this.settings, null);
    this.plane.frame = frame;
    this.render();
    this.say("All points removed.");
  }

  private select(i: number | null): void {
    if (this.plane.selected === i) return;
    this.plane.selected = i;
    this.render();
  }

  private change(part: Partial<Settings>): void {
    this.settings = { ...this.settings, ...part };
    this.changed(null, false, false);
  }

  private lookAt(part: { view?: Data["view"]; scaled?: boolean }): void {
    if (part.view) this.data.view = part.view;
    if (part.scaled !== undefined) this.data.scaled = part.scaled;
    this.data.touch();
    if (!this.data.movable) this.settings = { ...this.settings, phi: "x" };
    this.plane.selected = null;
    this.result = null;
    this.compute(false);
    this.refit();
    this.go(this.length);
  }

  private changed(words: string | null, draft = false, points = true): void {
    if (points) this.presetSelect.value = "own";
    this.edited = true;
    this.compute(draft);
    if (words) this.say(words);
  }

  private key(event: KeyboardEvent): void {
    const acts: Record<string, () => void> = { " ": () => this.toggle(), ".": () => this.leap(this.k + 1), ",": () => this.leap(this.k - 1), n: () => this.addInTheMiddle() };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // --------------------------------------------------------------------------------------------------- the answers

  /** Show this page's own run at once, and ask Python for the run and the proofs. */
  private compute(draft: boolean): void {
    this.version++;
    if (!this.data.movable && this.settings.phi !== "x") this.settings = { ...this.settings, phi: "x" };
    const points = this.data.points();
    this.learned = expand(points, this.settings.phi);
    const d = this.learned.p + 1;
    const alone = this.host.trace === null;
    const draw = alone ? this.draws.make(this.settings, d) : this.draws.find(this.settings, d);
    if (draw) {
      const budget = alone ? { corrections: this.settings.limit, presentations: draft ? PREVIEW.presentations : ALONE } : { ...PREVIEW, corrections: Math.min(PREVIEW.corrections, this.settings.limit) };
      const own = fromPage(this.learned, this.settings, draw, budget);
      const before = this.result;
      const kept = alone || !before || before.d !== d ? null : { verdict: before.verdict, witness: stillThere(before, this.learned.n), rivals: before.rivals, theorem: before.theorem, cover: before.cover, k: before.k, normSq: before.normSq, cos: before.cos };
      this.take({ ...own, ...kept }, kept === null);
    } else if (this.result && (this.result.d !== d || !fits(this.result, this.learned.n))) this.take(null);
    else this.render();
    if (!alone) void this.ask(draft);
  }

  /** One question in flight; what is asked meanwhile waits, and only the latest of it. */
  private async ask(draft: boolean): Promise<void> {
    if (this.flying) {
      this.queued = { draft };
      return;
    }
    this.flying = true;
    const version = this.version, n = this.learned.n;
    const asked = this.settings;
    try {
      const result = fromPython(await this.host.trace!(this.message({ settings: { ...asked, draft } })));
      this.draws.remember(asked, result);
      if (version === this.version) this.accept(result);
      else if (n === this.learned.n && this.result && this.result.d === result.d && this.settings === asked) this.takeProofs(result);
      this.notice.hidden = true;
    } catch (why) {
      if (version === this.version) this.refuse(why);
    } finally {
      this.flying = false;
    }
    if (this.queued) {
      const next = this.queued;
      this.queued = null;
      void this.ask(next.draft);
    }
  }

  private accept(result: Result): void {
    const first = this.result?.verdict == null;
    if (result.rivals.length === 0 && this.settings.rivals.length > 0) result.rivals = this.result?.rivals ?? [];
    this.take(result);
    if (first && !this.data.movable) this.refit();
  }

  /** Proofs of a moment ago, while the point is still on its way. */
  private takeProofs(result: Result): void {
    const { verdict, witness, theorem, cover, k, normSq, cos } = result;
    this.take({ ...this.result!, verdict, witness, theorem, cover, k, normSq, cos }, true, false);
  }

  /** Show a result: `proofs` says whether it brings any, `run` whether the run is another. */
  private take(result: Result | null, proofs = true, run = true): void {
    const end = this.atEnd;
    this.result = result;
    if (run) {
      this.replay = result ? new Replay(this.learned, result) : null;
      this.projection = this.data.movable ? null : new Projection(this.learned);
    }
    this.k = end && !this.playing ? this.length : Math.min(this.k, this.length);
    this.slider.max = String(this.length);
    this.controls.update();
    this.question.textContent = `Can a ${this.learned.p > 2 ? "hyperplane" : "line"} tell them apart?`;
    if (result && proofs) {
      this.theorem.draw(result, this.host.trace === null);
      this.verdict.replaceChildren(...verdictCard(result, this.settings, { python: this.host.trace !== null, edited: this.edited, scaled: this.data.scaled, empty: this.data.n === 0 }));
    }
    if (this.ownSpeed === null) this.speed.value = String(SPEEDS.find((v) => this.length / v <= 15) ?? SPEEDS[SPEEDS.length - 1]);
    this.render();
  }

  private refuse(why: unknown): void {
    if (!(why instanceof Refusal)) throw why;
    this.notice.replaceChildren(h("span", {}, why.message), h("button", { type: "button", "aria-label": "Close", click: () => (this.notice.hidden = true) }, "×"));
    this.notice.hidden = false;
  }

  private say(words: string): void {
    this.spoken.textContent = words;
  }

  // ------------------------------------------------------------------------------------------------------- replay

  private get length(): number {
    return this.replay?.length ?? 0;
  }

  private go(k: number): void {
    this.k = Math.max(0, Math.min(this.length, k));
    this.atEnd = this.k === this.length;
    this.render();
  }

  private leap(k: number): void {
    this.pause();
    this.go(k);
    if (this.result && this.k > 0) this.say(`Correction ${this.k} of ${this.length}: point ${this.result.rows[this.k - 1] + 1}.`);
    else this.say("The start.");
  }

  private toggle(): void {
    if (this.playing) return this.pause();
    if (this.length === 0) return;
    if (this.k >= this.length) this.k = 0;
    this.playing = true;
    this.atEnd = false;
    this.drawPlayButton();
    let position = this.k, last = performance.now();
    const frame = (now: number): void => {
      if (!this.playing) return;
      position += ((now - last) / 1000) * Number(this.speed.value);
      last = now;
      if (position >= this.length) {
        this.pause();
        this.go(this.length);
        this.say(this.result?.outcome?.sentence ?? "");
        return;
      }
      if (Math.floor(position) !== this.k) this.go(Math.floor(position));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  private pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.drawPlayButton();
  }

  // ------------------------------------------------------------------------------------------------------ drawing

  private refit(): void {
    const { xs, ys } = this.places(this.replay?.at(this.length) ?? null);
    if (this.data.n > 0) this.plane.fit(xs, ys, this.data.movable);
    this.render();
  }

  private names(): string[] {
    return [...this.data.columns.map((c) => this.data.names[c]), ...(this.data.movable ? Object.keys(MAPS[this.settings.phi].added) : [])];
  }

  /** Where the points are on the plane. */
  private places(w: Float64Array | null): { xs: Float64Array; ys: Float64Array } {
    const points = this.data.points();
    if (this.data.movable) {
      const xs = new Float64Array(points.n), ys = new Float64Array(points.n);
      for (let i = 0; i < points.n; i++) [xs[i], ys[i]] = [points.X[2 * i], points.X[2 * i + 1]];
      return { xs, ys };
    }
    this.projection ??= new Projection(points);
    return this.projection.at(w ?? new Float64Array(points.p + 1));
  }

  private render(): void {
    const { k, result, replay } = this;
    const w = replay?.at(k) ?? null;
    const before = replay && k > 0 ? replay.at(k - 1) : null;
    const { xs, ys } = this.places(w);
    const wrong = this.wrong(w);
    const row = result && k > 0 ? result.rows[k - 1] : null;
    const movable = this.data.movable;
    const scene: Scene = {
      xs, ys, y: this.data.y, wrong,
      lines: w ? (movable ? this.lines(before, w) : ahead(w)) : [],
      corrected: row !== null && row < this.data.n ? row : null,
      added: movable && before && row !== null && row < this.data.n && this.settings.phi === "x" && !this.data.scaled && result ? signed(this.learned, row, result.steps[k - 1]) : null,
      witness: movable && result?.witness && fitsWitness(result, this.data.n) ? { rows: result.witness.rows, point: [result.witness.point[0], result.witness.point[1]] } : null,
      marked: (movable ? [] : (result?.witness?.rows ?? [])).filter((i) => i < this.data.n),
      axes: movable ? [this.data.names[this.data.columns[0]], this.data.names[this.data.columns[1]]] : ["signed distance to the hyperplane", "a principal direction"],
      label: (i) => `Point ${i + 1}, class ${this.data.className(this.data.y[i])}, at ${number(xs[i])}, ${number(ys[i])}${wrong[i] ? ", on the wrong side" : ""}`,
      movable,
    };
    this.plane.draw(scene);
    this.drawTransport(wrong);
    this.drawStep(before, w, row);
    if (result && w) this.theorem.point(result, k, w);
  }

  private drawTransport(wrong: Uint8Array): void {
    const mistakes = wrong.reduce((sum, v) => sum + v, 0);
    this.slider.value = String(this.k);
    this.slider.setAttribute("aria-valuetext", `correction ${this.k} of ${this.length}, ${mistakes} on the wrong side`);
    this.counter.textContent = `${whole(this.k)} / ${whole(this.length)}`;
    const parts = [`${whole(mistakes)} of ${whole(this.data.n)} on the wrong side now`];
    if (this.data.n > 0 && !this.data.movable) parts.push("in a projection points cannot be moved");
    else if (this.data.n > 0 && this.plane.stretched) parts.push("the axes have different scales, so right angles do not look right");
    this.hint.textContent = this.data.n === 0 ? "Click in the plane to add points." : parts.join(" · ");
  }

  private drawStep(before: Float64Array | null, w: Float64Array | null, row: number | null): void {
    const { result, k } = this;
    if (!result || !before || !w || row === null || row >= this.learned.n) {
      const start = w ? `w(0) = (${[...w.slice(0, 6)].map((v) => number(v)).join(", ")}${w.length > 6 ? ", …" : ""})` : "";
      this.step.replaceChildren(h("p", { class: "step-head" }, h("strong", {}, "Before the first correction")), h("p", { class: "muted" }, start));
      return;
    }
    const pass = this.settings.learner === "perceptron" ? passOf(result.passEnds, k) : null;
    const moment = { k, K: this.length, pass, row, step: result.steps[k - 1], before, after: w, eta: result.eta };
    this.step.replaceChildren(...stepCard(moment, this.learned, this.names(), (y) => this.data.className(y), resolved(this.settings)));
  }

  /** Who is not strictly on his side. */
  private wrong(w: Float64Array | null): Uint8Array {
    const { n, p, X, y } = this.learned;
    const wrong = new Uint8Array(n);
    if (w && w.length === p + 1) for (let i = 0; i < n; i++) wrong[i] = y[i] * (rowDot(X, i * p, w, p) + w[p]) > 0 ? 0 : 1;
    return wrong;
  }

  private lines(before: Float64Array | null, w: Float64Array): Line[] {
    const { phi } = this.settings;
    const found: Line[] = [];
    const add = (name: string, look: string, weights: ArrayLike<number>): void => {
      if (Array.from(weights).slice(0, -1).every((v) => v === 0)) return;
      found.push({ name, look, f: response(weights, phi), weights: phi === "x" ? [weights[0], weights[1], weights[2]] : null });
    };
    const { verdict, rivals } = this.result!;
    if (verdict?.w && verdict.w.length === w.length) {
      const best = verdict.w;
      if (verdict.margin) {
        const reach = verdict.margin[0] * Math.hypot(...best);
        for (const side of [-1, 1]) add("", "edge", [...best.slice(0, -1), best[best.length - 1] + side * reach]);
      }
      add(verdict.kind === "quasi" ? "touching line" : "largest margin", "best", best);
    }
    rivals.filter((one) => this.settings.rivals.includes(one.name) && one.w.length === w.length).forEach((one) =>
      add(`${one.name}: ${one.wrong} wrong`, `rival rival-${["least squares", "LMS", "logistic"].indexOf(one.name)}`, one.w));
    const own = found.splice(0);
    if (before) add("", "old", before);
    add("", "new", w);
    return [...found, ...own];
  }
}

function icon(d: string): SVGElement {
  return s("svg", { class: "icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, s("path", { d }));
}

/** In a projection the hyperplane is the vertical axis. */
function ahead(w: Float64Array): Line[] {
  if (w.subarray(0, -1).every((v) => v === 0)) return [];
  return [{ name: "", look: "new", f: (a) => a, weights: [1, 0, 0] }];
}

function signed(points: Points, row: number, step: number): [number, number] {
  const sign = step < 0 ? -1 : 1;
  return [sign * points.X[row * points.p], sign * points.X[row * points.p + 1]];
}

function fits(result: Result, n: number): boolean {
  return result.rows.every((row) => row < n);
}

function fitsWitness(result: Result, n: number): boolean {
  return result.witness!.rows.every((row) => row < n);
}

function stillThere(result: Result, n: number): Result["witness"] {
  return result.witness && fitsWitness(result, n) ? result.witness : null;
}
