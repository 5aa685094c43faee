/** Which correction is shown: step, play, scrub. */
import { button, h, icon, say, whole } from "./dom";

const SPEEDS = [1, 2, 5, 20, 100, 1000, 10_000]; // corrections a second
const PATIENCE = 15; // seconds a run should take, unless the person chooses a speed

export class Transport {
  readonly element: HTMLElement;
  /** The correction that is shown; 0 is the start. */
  k = 0;
  length = 0;
  private playing = false;
  private wanted: number | "end" = "end"; // where the person wants to be, also in a run that is not there yet
  private chosenSpeed = false;
  private readonly slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Correction" });
  private readonly counter = h("output", { class: "counter" });
  private readonly play = h("button", { type: "button", class: "play primary", click: () => this.toggle() });
  private readonly speed = h("select", { "aria-label": "Speed" });

  /** `moved` is called when another correction is to be shown, `stopped` when one was chosen or the end is reached. */
  constructor(
    private readonly moved: () => void,
    private readonly stopped: () => void,
  ) {
    this.slider.addEventListener("input", () => {
      this.pause();
      this.go(Number(this.slider.value));
    });
    this.speed.append(...SPEEDS.map((v) => h("option", { value: v }, `${whole(v)} a second`)));
    this.speed.addEventListener("change", () => (this.chosenSpeed = true));
    this.element = h(
      "div",
      { class: "transport", role: "group", "aria-label": "Replay" },
      button("To the start", icon("M3 2V14M13 2L5 8L13 14Z"), () => this.leap(0)),
      button("One correction back", icon("M11 3L4 8L11 13Z"), () => this.leap(this.k - 1)),
      this.play,
      button("One correction forward", icon("M5 3L12 8L5 13Z"), () => this.leap(this.k + 1)),
      button("To the end", icon("M13 2V14M3 2L11 8L3 14Z"), () => this.leap(this.length)),
      this.slider,
      this.counter,
      this.speed,
    );
    this.drawPlay();
  }

  /** Other data: begin at correction k, or at the end, as soon as there is a run. */
  restart(k: number | "end"): void {
    this.pause();
    this.wanted = k;
    this.chosenSpeed = false;
    this.resize(0);
  }

  /** The run has so many corrections now. */
  resize(length: number): void {
    this.length = length;
    this.k = Math.min(length, this.playing ? this.k : this.wanted === "end" ? length : this.wanted);
    this.slider.max = String(length);
    if (!this.chosenSpeed) this.speed.value = String(SPEEDS.find((v) => length / v <= PATIENCE) ?? SPEEDS.at(-1));
  }

  /** Where the person wants to be. */
  get place(): number | "end" {
    return this.k === this.length ? "end" : this.k;
  }

  go(k: number): void {
    this.k = Math.max(0, Math.min(this.length, Math.round(k)));
    this.wanted = this.k === this.length ? "end" : this.k;
    this.moved();
  }

  leap(k: number): void {
    this.pause();
    this.go(k);
    this.stopped();
  }

  toggle(): void {
    if (this.playing) return this.pause();
    if (this.length === 0) return;
    this.playing = true;
    this.drawPlay();
    let position = this.k >= this.length ? 0 : this.k;
    let last = performance.now();
    const frame = (now: number): void => {
      if (!this.playing) return;
      position += ((now - last) / 1000) * Number(this.speed.value);
      last = now;
      if (position >= this.length) return this.leap(this.length);
      if (Math.floor(position) !== this.k) this.go(Math.floor(position));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.drawPlay();
  }

  /** Say where we are. */
  describe(mistakes: number | null): void {
    this.slider.value = String(this.k);
    const wrong = mistakes === null ? "no line yet" : `${mistakes} not on their side`;
    this.slider.setAttribute("aria-valuetext", `correction ${this.k} of ${this.length}, ${wrong}`);
    say(this.counter, `${whole(this.k)} / ${whole(this.length)}`);
  }

  private drawPlay(): void {
    this.play.replaceChildren(icon(this.playing ? "M4 2H7V14H4ZM9 2H12V14H9Z" : "M4 2L14 8L4 14Z"));
    this.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.play.title = this.playing ? "Pause" : "Play";
  }
}
