/** The lab: points, a run of the learner on them, and everything that shows it. This file joins the parts. */
import { Asking, type Change } from "./asking";
import { Controls, type Look } from "./controls";
import type { Data } from "./data";
import { button, h } from "./dom";
import { Drawing } from "./drawing";
import { Editing } from "./editing";
import { Examples, told, type Named } from "./examples";
import type { Figure } from "./figure";
import { OnceAFrame } from "./frames";
import { Guide } from "./guide/guide";
import { keep, recall } from "./guide/keep";
import type { Begin, Host } from "./host";
import { Keeping, type Now } from "./keeping";
import { layout } from "./layout";
import { Opening } from "./opening";
import { AddressBar } from "./addressbar";
import { Plane } from "./plane";
import { Refusal } from "./refusal";
import { Replay } from "./replay";
import { fromFragment, toFragment } from "./share";
import { State } from "./state";
import { onTheme } from "./theme";
import { ProofPanel } from "./proofpanel";
import { Transport } from "./transport";
import { USUAL, type Points, type Settings } from "./types";
import { Undoing } from "./undoing";

/** What undo brings back. */
interface Kept {
  data: Data;
  settings: Settings;
  named: Named;
}

export class Lab {
  /** Go to another room. */
  visit: (room: string) => void = () => undefined;
  private readonly state = new State();
  private own: Kept | null = null; // the points somebody made, while an example is looked at
  private changed = false; // whether a point has moved since the learner ran
  private undrawn: Change = NOTHING; // what has come and is not on the page yet

  private readonly plane: Plane;
  private readonly controls: Controls;
  private readonly guide: Guide;
  private readonly asking: Asking;
  private readonly drawing: Drawing;
  private readonly keeping: Keeping;
  private readonly opening: Opening;
  private readonly editing: Editing;
  private readonly undoing = new Undoing<Kept>(
    () => this.kept(),
    (kept) => this.restore(kept),
    (words) => this.say(words),
  );
  private readonly transport = new Transport(
    () => this.drawMoment(),
    () => this.sayWhere(),
  );
  private readonly placing: AddressBar;
  private readonly panel = new ProofPanel(() => this.drawing.render());
  private readonly seeProof = h("button", { type: "button", class: "see-proof", "aria-pressed": "false" }, "See the proof");
  private readonly map = button("Atlas: where the chosen point may go", "Atlas", () => this.toggle(this.map));
  private readonly frame = new OnceAFrame(() => this.catchUp());
  private readonly examples = new Examples((value) => this.opening.choose(value));
  private readonly home: HTMLElement;
  private readonly saving = h("div", { class: "saving" });
  private readonly table: HTMLElement;
  private readonly notice = h("div", { class: "notice", role: "alert", hidden: true });
  private readonly spoken = h("div", { class: "spoken", role: "status", "aria-live": "polite" });

  constructor(
    root: HTMLElement,
    private readonly host: Host,
    figure: Figure | null = null,
  ) {
    const { state } = this;
    this.placing = new AddressBar(host.kind !== "notebook", () => this.inAddress());
    this.editing = this.makeEditing();
    this.plane = new Plane(this.editing.actions(), () => this.drawing.refit());
    this.plane.handle = figure && (figure.handle ?? -1);
    this.controls = new Controls(
      () => state.settings,
      () => state.data,
      (part) => this.change(part),
      (part) => this.lookAt(part),
    );
    this.guide = this.makeGuide();
    this.asking = new Asking(host, () => state.written(), {
      show: (change) => this.showAnswer(change),
      refuse: (why) => this.refuse(why),
      answered: () => (this.notice.hidden = true),
    });
    const tools = (): void => {
      this.editing.drawTools();
      this.map.disabled = !this.drawing.mappable;
    };
    const mapped = (): boolean => this.map.getAttribute("aria-pressed") === "true";
    this.drawing = new Drawing(state, this.asking, this.plane, this.transport, this.guide, tools, this.panel, mapped);
    if (figure) this.drawing.tell();
    this.opening = this.makeOpening();
    this.keeping = this.makeKeeping();
    this.table = h("section", { class: "card", hidden: true }, h("h2", {}, "Table"), this.controls.view);
    this.home = this.opening.home = this.build();
    root.append(this.home);
    this.listen(root);
  }

  /** The page is about to show another room: Back leads here. */
  leave(): void {
    if (this.examples.now.example !== "none" && !this.guide.tour.running) this.placing.settle();
  }

  /** A speaker's keys work wherever the focus is: those of the plane, and a clicker's Page Up and Page Down. */
  present(event: KeyboardEvent): void {
    const typed = (event.composedPath()[0] as HTMLElement).matches("input, select, textarea, .dot, summary, button");
    const clicker: Record<string, string> = { PageDown: ".", PageUp: "," };
    const key = clicker[event.key] ?? event.key;
    if (!typed && this.home.getClientRects().length > 0) this.key(new KeyboardEvent("keydown", { key, cancelable: true }));
    if (!typed && clicker[event.key]) event.preventDefault();
  }

  /** The points, where they are few and lie on a plane. */
  points(): Points | null {
    const { data } = this.state;
    return data.movable && data.n > 0 && data.n <= 200 ? data.points() : null;
  }

  async begin(asked: Promise<Begin>): Promise<void> {
    try {
      const begin = await asked;
      this.guide.beside(begin.book);
      this.saving.replaceChildren(this.keeping.menu(begin.report, this.home));
      await this.opening.begin(begin);
      this.recallOwn();
    } catch (why) {
      this.refuse(why);
      this.drawing.render();
    }
  }

  // ------------------------------------------------------------------------------------------------------- the parts

  private makeEditing(): Editing {
    return new Editing(this.state, () => this.plane, {
      remember: () => this.remember(),
      moved: (words, draft) => this.moved(words, draft),
      show: (data, settings) => this.show(data, settings),
      render: () => this.drawing.render(),
      key: (event) => this.key(event),
      say: (words) => this.say(words),
      refuse: (why) => this.refuse(why),
    });
  }

  private makeGuide(): Guide {
    const { state } = this;
    const stage = {
      open: () => this.opening.first(),
      go: (k: number, part: number) => {
        this.drawing.part = part;
        this.transport.go(k);
      },
      n: () => state.data.n,
      corrections: () => this.transport.length,
      point: (k: number) => this.asking.result!.rows[k - 1] + 1,
      crossing: () => state.data.crossing(),
      move: (i: number, a: number, b: number) => {
        state.data.place(i, a, b);
        this.asking.ask(state.data, state.settings, true);
      },
      hand: (at: [number, number] | null) => this.plane.showHand(at),
      dress: (hidden: string, shown: string) => Object.assign(this.plane.element.dataset, { hidden, shown }),
      veil: (veiled: boolean) => this.home.classList.toggle("veiled", veiled),
    };
    return new Guide(stage, (one) => this.opening.challenge(one));
  }

  private makeOpening(): Opening {
    return new Opening(this.host, this.examples, () => this.guide, {
      remember: () => this.remember(),
      show: (data, settings, k) => this.show(data, settings, k),
      read: () => this.placing.read(),
      backToOwn: () => {
        if (this.own) this.restore(this.own);
        return this.own !== null;
      },
      refuse: (why) => this.refuse(why),
    });
  }

  private makeKeeping(): Keeping {
    return new Keeping(this.host, this.asking, this.plane, () => this.now(), {
      say: (words) => this.say(words),
      refuse: (why) => this.refuse(why),
      open: (shared) => this.opening.shared(shared),
      go: (k) => this.transport.leap(k),
    });
  }

  private now(): Now {
    const { data, settings, replay } = this.state;
    const { origin, example, look } = this.examples.now;
    const [k, names] = [this.transport.place, this.state.written()];
    return { data, settings, replay, k, names, origin, example: example !== "own", edited: look === told(origin) };
  }

  private build(): HTMLElement {
    const share = h("button", { type: "button", click: () => void this.keeping.share(this.home) }, "Share…");
    const tourTitle = "A run from its beginning, with a caption for each thing that appears";
    const tour = h("button", { type: "button", title: tourTitle, click: () => this.guide.tour.begin() }, "Tour");
    const example = h("label", { class: "example" }, h("span", {}, "Example"), this.examples.select);
    const { drawing, guide } = this;
    return layout({
      header: [example, tour, ...this.opening.picker(), share, this.saving],
      look: this.examples.look,
      tools: [
        this.editing.classes,
        ...this.editing.tools,
        ...this.undoing.buttons,
        button("Fit all points", "Fit", () => drawing.refit()),
        this.map,
      ],
      strip: drawing.strip,
      film: guide.tour.element,
      quest: guide.quests.element,
      plane: this.plane.element,
      transport: this.transport.element,
      lead: drawing.lead,
      hint: drawing.hint,
      odd: guide.odd,
      legend: guide.legend.element,
      challenges: guide.quests.list,
      why: guide.why,
      step: drawing.step,
      question: drawing.question,
      verdict: drawing.verdict,
      facts: drawing.facts,
      proof: this.panel.element,
      prove: this.seeProof,
      table: this.table,
      learner: this.controls.learner,
      theorem: {
        words: drawing.theorem.words,
        curves: drawing.theorem.curves,
        passes: drawing.theorem.rest,
        follow: h("button", { type: "button", class: "see-proof follow", click: () => this.visit("theorem") }, "Follow the proof"),
      },
      notice: this.notice,
      spoken: this.spoken,
    });
  }

  private toggle(one: HTMLElement): void {
    one.setAttribute("aria-pressed", String(one.getAttribute("aria-pressed") !== "true"));
    this.drawing.render();
  }

  private showProof(): void {
    this.panel.element.hidden = this.panel.open;
    if (this.panel.open) this.drawing.showProof();
    this.home.classList.toggle("proving", this.panel.open);
    this.toggle(this.seeProof);
  }

  private listen(root: HTMLElement): void {
    this.seeProof.addEventListener("click", () => this.showProof());
    this.map.setAttribute("aria-pressed", "false");
    root.addEventListener("keydown", (event) => event.stopPropagation()); // a notebook would take our keys for its own
    const shortcut = (event: KeyboardEvent): void => this.undoing.key(event);
    root.addEventListener("keydown", shortcut);
    if (this.host.kind !== "notebook") document.body.addEventListener("keydown", shortcut);
    for (const act of ["click", "input", "change"]) {
      this.transport.element.addEventListener(act, () => this.guide.tour.interrupt());
    }
    root.addEventListener("dragover", (event) => event.preventDefault());
    root.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.opening.files([...(event.dataTransfer?.files ?? [])]);
    });
    if (this.host.kind !== "notebook") addEventListener("hashchange", () => this.opening.address());
    onTheme(() => {
      this.plane.forget();
      this.drawing.render();
    });
  }

  // ----------------------------------------------------------------------------------------------------- what is said

  private refuse(why: unknown): void {
    if (!(why instanceof Refusal)) throw why;
    const close = button("Close", "×", () => (this.notice.hidden = true));
    this.notice.replaceChildren(h("span", {}, why.message), close);
    this.notice.hidden = false;
  }

  private say(words: string): void {
    this.spoken.textContent = words;
  }

  private drawMoment(): void {
    this.drawing.render();
    if (!this.guide.tour.running) this.placing.changed();
  }

  private sayWhere(): void {
    const { k, length } = this.transport;
    const { result } = this.asking;
    if (k === length && result?.outcome) this.say(result.outcome.sentence);
    else if (k === 0 || !result) this.say("The start.");
    else this.say(`Correction ${k} of ${length}: point ${result.rows[k - 1] + 1}.`);
  }

  // ------------------------------------------------------------------------------------------------ what is on the stage

  /** Put data on the stage, at correction k of the run or at its end. */
  private show(data: Data, settings: Settings, k: number | "end" = "end"): void {
    this.leave(); // Back leads to what is on the stage now
    this.load(data, settings, k);
    this.compute(false);
    queueMicrotask(() => this.placing.changed(true)); // when the points have their name
  }

  /** The state as the address has it; nothing for what the page begins with. */
  private inAddress(): string {
    const now = this.now();
    if (now.data.whole && now.data.whole.X.length > MOST_KEPT) return ""; // the window keeps no more
    const usual = now.k === "end" && JSON.stringify(now.settings) === JSON.stringify(USUAL);
    return this.examples.now.example === "0" && usual ? "" : toFragment(now);
  }

  private load(data: Data, settings: Settings, k: number | "end"): void {
    if (this.examples.now.example === "own" && this.state.data.n > 0) this.keepOwn();
    this.examples.own = this.own !== null;
    this.state.put(data, settings);
    this.asking.forget();
    this.plane.selected = null;
    this.plane.forget();
    this.transport.restart(k);
    this.examples.name({ example: "own", look: "", origin: "" });
    this.table.hidden = data.plain;
    this.notice.hidden = true;
    this.editing.drawClasses();
    this.drawing.refit();
  }

  /** Something is about to change. */
  private remember(): void {
    if (this.examples.now.example !== "none") this.undoing.remember();
  }

  /** Points of one's own outlive a reload, too. */
  private keepOwn(): void {
    this.own = this.kept();
    if (this.host.kind !== "notebook") keep("own", this.inAddress(), "window");
  }

  private recallOwn(): void {
    const own = this.host.kind === "notebook" ? null : fromFragment(recall("own", "window") ?? "");
    if (!own || this.own) return;
    const named = { example: "own", look: told(own.origin), origin: own.origin };
    this.own = { data: own.data, settings: own.settings, named };
    this.examples.own = true;
    this.examples.name(this.examples.now);
  }

  private kept(): Kept {
    return { data: this.state.data.copy(), settings: this.state.settings, named: this.examples.now };
  }

  /** Put a stage back as it was; the part of the plane that is seen stays, where the columns do. */
  private restore({ data, settings, named }: Kept): void {
    const seen = (one: Data): string => JSON.stringify([one.names, one.view, one.scaled]);
    const frame = seen(data) === seen(this.state.data) && data.n > 0 ? this.plane.frame : null;
    this.load(data.copy(), settings, "end");
    if (frame) this.plane.frame = frame;
    this.examples.name(named);
    this.compute(false);
    this.placing.changed();
  }

  /** The points are others now. */
  private moved(words: string, draft: boolean): void {
    this.changed = draft;
    if (draft) return this.frame.ask();
    this.examples.edited();
    this.compute(false);
    this.placing.changed();
    if (words) this.say(words);
  }

  private change(part: Partial<Settings>): void {
    this.remember();
    this.state.settings = { ...this.state.settings, ...part };
    this.examples.changed(this.state.settings);
    this.compute(false);
    this.placing.changed();
  }

  private lookAt({ positive, ...part }: Look): void {
    this.remember();
    const { data } = this.state;
    Object.assign(data, part);
    data.touch();
    if (positive !== undefined) {
      data.against(positive);
      this.editing.drawClasses();
      this.opening.nameTable(data);
    }
    this.plane.selected = null;
    this.asking.forget();
    this.state.forgetRun();
    this.transport.restart("end");
    this.compute(false);
    this.drawing.refit();
    this.placing.changed();
  }

  private key(event: KeyboardEvent): void {
    const acts: Record<string, () => void> = {
      " ": () => this.transport.toggle(),
      ".": () => this.transport.leap(this.transport.k + 1),
      ",": () => this.transport.leap(this.transport.k - 1),
      n: () => this.editing.addInTheMiddle(),
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
    const { state } = this;
    if (!state.data.movable && state.settings.phi !== "x") state.settings = { ...state.settings, phi: "x" };
    this.asking.ask(state.data, state.settings, draft);
  }

  /** While a point is on its way the page is drawn once a frame, whatever comes meanwhile. */
  private showAnswer(change: Change): void {
    const { result, learned } = this.asking;
    if (change.run) {
      this.state.replay = result ? new Replay(learned, result) : null;
      this.state.project();
      this.transport.resize(this.state.replay?.length ?? 0);
    }
    this.undrawn = {
      proofs: this.undrawn.proofs || change.proofs,
      run: this.undrawn.run || change.run,
      first: this.undrawn.first || change.first,
    };
    if (this.editing.moving) this.frame.ask();
    else this.drawAnswer();
  }

  private drawAnswer(): void {
    const { proofs, first } = this.undrawn;
    this.undrawn = NOTHING;
    this.frame.cancel();
    this.controls.update();
    if (proofs) this.drawing.proofs();
    if (first && !this.state.data.movable) this.drawing.refit();
    else this.drawing.render();
  }

  /** A frame while a point is on its way. */
  private catchUp(): void {
    if (this.changed) {
      this.changed = false;
      this.examples.edited();
      this.compute(true);
    }
    this.drawAnswer();
  }
}

const MOST_KEPT = 300_000; // numbers of a table that is drawn in part
const NOTHING: Change = { proofs: false, run: false, first: false };
