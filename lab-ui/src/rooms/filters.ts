/** The room of filters: a delay line whose taps learn what a room does to a sound. */
import { Chart } from "../chart";
import { h, number, s, whole } from "../dom";
import { adaptiveFilter, backwards, bounds, RULES, type Bounds, type FilterRun, type Rule } from "./adaptive";
import { alike, within, type RoomState } from "./roomstate";
import { card, Choice, controls, facts, layout, powers, saying, Slider, type Range, type Room, type RoomPage } from "./parts";
import { heard, LENGTH, RATE, ROOM, SIGNALS, spectrum } from "./signals";
import { canPlay, play } from "./sound";
import { errorLevel, ofFilter, ofSmoothing, ofStep } from "./words";

const EVERY = 20; // samples between two looks at the weights
const WINDOW = 100; // samples over which the error's power is averaged
const SPECTRUM = 1024; // samples, the last
const SMOOTHED = 400; // samples of the low-pass view
const HIGHEST = 40; // dB of an error that is still drawn
const WATCHED = 5000; // milliseconds
const FORGETTING: Range = {
  label: "forgetting λ",
  min: -4,
  max: -1,
  step: 0.05,
  value: (at) => 1 - 10 ** at,
  text: (value) => value.toFixed(4),
};
const LECTURE =
  "A loudspeaker plays u. A microphone hears d, which is what the room made of u. The neuron answers y(n) = w·x(n), where " +
  "x(n) holds the last values of u. Its error is e(n) = d(n) − y(n), and it learns: LMS moves w by η·e(n)·x(n).";

export const FILTERS: Room = { key: "filters", name: "Filters", make: (chosen) => new Filters(chosen) };

class Filters implements RoomPage {
  readonly element: HTMLElement;
  private rule: Rule = "LMS";
  private signal = "white noise";
  private taps = 12;
  private noise = 0.05;
  private readonly steps: Record<Rule, number> = { LMS: 0.02, NLMS: 0.5, RLS: 0.999 };
  private n = LENGTH;
  private u = SIGNALS[this.signal]();
  private d = heard(this.u, this.noise);
  private limits: Bounds = bounds(this.u, this.taps);
  private run: FilterRun | null = null;
  private readonly rules = new Choice("Rule", RULES, (rule) => this.change({ rule: rule as Rule }, true));
  private readonly signals = new Choice("Signal", Object.keys(SIGNALS), (signal) => this.change({ signal }));
  private readonly sliders = {
    LMS: new Slider(powers("step η", -3.5, 0), (v) => this.step(v)),
    NLMS: new Slider({ label: "step η", min: 0.05, max: 2.5, step: 0.05 }, (v) => this.step(v)),
    RLS: new Slider(FORGETTING, (v) => this.step(v)),
    taps: new Slider({ label: "taps", min: 1, max: 24, step: 1 }, (taps) => this.change({ taps })),
    noise: new Slider({ label: "noise", min: 0, max: 0.5, step: 0.01 }, (noise) => this.change({ noise })),
    n: new Slider({ label: "sample n", min: 0, max: LENGTH, step: EVERY, text: whole }, (n) => this.stopAt(n)),
  };
  private readonly line = s("svg", { class: "taps-drawing", viewBox: "0 0 640 70", role: "img" });
  private readonly weights = s("svg", { class: "taps-drawing", viewBox: "0 0 640 140", role: "img" });
  private watching = 0; // which replay is going on
  private readonly error = new Chart("Power of the error, against that of d, in dB", (n) => this.stopAt(n));
  private readonly tones = new Chart("Spectrum of the last samples, in dB");
  private readonly smoothed = new Chart("A step with noise, and the one weight that follows it", null, 150);
  private readonly memory = h("p", { class: "small" });
  private readonly said = saying();
  private readonly bound = h("div");

  constructor(private readonly chosen: (show: string) => void) {
    const { LMS, NLMS, RLS, taps, noise } = this.sliders;
    this.element = layout({
      title: "Filters",
      words: LECTURE,
      stage: [
        this.rules.element,
        this.said,
        controls(LMS.element, NLMS.element, RLS.element, taps.element),
        this.delayLine(),
        h("div", { class: "charts card" }, this.error.element, this.tones.element),
      ],
      side: [
        card("What theory says", this.bound),
        card("η as a low-pass filter", this.memory, this.smoothed.element),
        card("The signals", this.signals.element, noise.element, this.ears()),
      ],
    });
    this.placeSliders();
    this.change({});
  }

  private delayLine(): HTMLElement {
    return h(
      "div",
      { class: "card" },
      h("p", { class: "muted small" }, "The delay line: u(n) on the left, then the samples before it."),
      this.line,
      h("p", { class: "muted small" }, "The weight of each (bars), and what the room does (rings)."),
      this.weights,
      this.sliders.n.element,
      h("button", { type: "button", click: () => this.watch() }, "Watch it learn"),
    );
  }

  /** Buttons to hear the signals, where the browser plays sound. */
  private ears(): HTMLElement {
    const listen = (label: string, samples: () => Float64Array): HTMLElement =>
      h("button", { type: "button", click: () => play(samples(), RATE) }, label);
    return h(
      "div",
      { class: "choice", role: "group", "aria-label": "Listen", hidden: !canPlay() },
      listen("Hear d", () => this.d),
      listen("Hear y", () => this.run!.y),
      listen("Hear e", () => this.run!.e),
    );
  }

  open(show: string): void {
    if (RULES.includes(show as Rule)) this.change({ rule: show as Rule });
  }

  shown(): string {
    return this.rule;
  }

  state(): RoomState {
    const { rule, signal, taps, noise, steps } = this;
    return { rule, signal, taps, noise, steps: { ...steps } };
  }

  put(state: unknown): void {
    const { rule, signal, taps, noise, steps } = this;
    if (!alike(state, { rule, signal, taps, noise, steps })) return;
    if (!RULES.includes(state.rule) || !Object.hasOwn(SIGNALS, state.signal)) return;
    const { LMS, NLMS, RLS } = state.steps;
    this.steps.LMS = within(LMS, [10 ** -3.5, 1]);
    this.steps.NLMS = within(NLMS, [0.05, 2.5]);
    this.steps.RLS = within(RLS, [0.9, 0.9999]);
    const size = { taps: within(Math.round(state.taps), [1, 24]), noise: within(state.noise, [0, 0.5]) };
    this.change({ rule: state.rule, signal: state.signal, ...size });
    this.placeSliders();
  }

  private placeSliders(): void {
    const { LMS, NLMS, RLS, taps, noise } = this.sliders;
    LMS.place(Math.log10(this.steps.LMS));
    NLMS.place(this.steps.NLMS);
    RLS.place(Math.log10(1 - this.steps.RLS));
    taps.place(this.taps);
    noise.place(this.noise);
  }

  private step(value: number): void {
    this.steps[this.rule] = value;
    this.change({});
  }

  private change(part: { rule?: Rule; signal?: string; taps?: number; noise?: number }, told = false): void {
    Object.assign(this, part);
    if (told) this.chosen(this.rule);
    if (part.signal !== undefined) this.u = SIGNALS[this.signal]();
    if (part.signal !== undefined || part.noise !== undefined) this.d = heard(this.u, this.noise);
    if (part.signal !== undefined || part.taps !== undefined) this.limits = bounds(this.u, this.taps);
    const { rule, taps } = this;
    this.run = adaptiveFilter({ rule, taps, step: this.steps[rule] }, this.u, this.d, EVERY);
    this.rules.show(rule);
    this.signals.show(this.signal);
    for (const one of RULES) this.sliders[one].element.hidden = one !== rule;
    this.drawError(this.run);
    this.drawTones(this.run);
    this.drawSmoothing(this.steps.LMS);
    this.say(this.run);
    this.look(this.n);
  }

  // -------------------------------------------------------------------------------------------------- what is said

  private say(run: FilterRun): void {
    const { rule, taps, limits } = this;
    const step = this.steps[rule];
    const level = run.lost === null ? errorLevel(run, this.d) : Infinity;
    this.said.textContent = ofFilter(rule, step, limits, run, this.d);
    this.said.classList.toggle("warns", level > 0);
    this.said.classList.toggle("done", level < -15);
    this.bound.replaceChildren(facts(ofStep(rule, step, taps, limits)));
  }

  // ------------------------------------------------------------------------------------------------------- drawing

  /** All samples in a few seconds; the weights move. */
  private watch(): void {
    const mine = ++this.watching;
    const began = performance.now();
    const frame = (now: number): void => {
      if (mine !== this.watching) return;
      const part = (now - began) / WATCHED;
      this.look(LENGTH * Math.min(1, part * part)); // slowly at first, where most is learned
      if (part < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  private stopAt(n: number): void {
    this.watching++;
    this.look(n);
  }

  private look(n: number): void {
    this.n = Math.max(0, Math.min(LENGTH, Math.round(n / EVERY) * EVERY));
    this.sliders.n.place(this.n);
    this.error.point(this.n, NaN);
    this.drawTaps(this.run!.history[Math.min(this.n / EVERY, this.run!.history.length - 1)]);
  }

  /** What is in the delay line, and under each place its weight beside what the room has there. */
  private drawTaps(w: Float64Array): void {
    const { taps } = this;
    const count = Math.max(taps, ROOM.length);
    const wide = 640 / count;
    const { x, place } = backwards(this.u, count);
    const now = Math.min(this.n, LENGTH - 1);
    const axis = (y: number): SVGElement => s("line", { class: "rule", x1: 0, x2: 640, y1: y, y2: y });
    const [line, weights] = [[axis(35)], [axis(70)]];
    for (let j = 0; j < count; j++) {
      const at = wide * (j + 0.5);
      const bar = { "stroke-width": Math.min(22, wide * 0.5) };
      if (j < taps) {
        line.push(s("path", { class: "sample", d: `M${at} 35v${-clamp(12 * x[place(now) + j], 33)}` }));
        weights.push(s("path", { class: "tap", ...bar, d: `M${at} 70v${-clamp(55 * w[j], 66)}` }));
      }
      weights.push(s("circle", { class: "room-tap", cx: at, cy: 70 - clamp(55 * (ROOM[j] ?? 0), 62), r: 6 }));
    }
    this.line.replaceChildren(...line);
    this.weights.replaceChildren(...weights);
    const off = Math.hypot(...Array.from({ length: count }, (_, j) => (ROOM[j] ?? 0) - (w[j] ?? 0)));
    this.line.setAttribute("aria-label", `The last ${taps} samples of u at sample ${now}.`);
    const away = `${number(off)} away from the room’s response`;
    this.weights.setAttribute("aria-label", `The weights at sample ${now} are ${away}.`);
  }

  private drawError({ e }: FilterRun): void {
    const xs: number[] = [],
      ys: number[] = [];
    const all = power(this.d, LENGTH);
    for (let n = WINDOW; n <= LENGTH; n += WINDOW / 2) {
      xs.push(n);
      ys.push(10 * Math.log10(power(e.subarray(0, n), WINDOW) / all));
    }
    this.error.draw({
      series: [{ label: `e, mean of ${WINDOW} samples`, look: "norm", x: xs, y: ys.map((v) => (v > HIGHEST ? NaN : v)) }],
      x: { from: 0, to: LENGTH, log: false, label: "sample n" },
      y: { from: -50, to: 30, log: false },
      summary: `The power of the error in dB, from ${number(ys[0], 2)} to ${number(ys[ys.length - 1], 2)}.`,
    });
  }

  /** LMS with one tap whose input is always 1: a step with noise comes in, the weight is what is left of it. */
  private drawSmoothing(eta: number): void {
    const x = Array.from({ length: SMOOTHED }, (_, n) => n);
    const d = x.map((n) => (n < SMOOTHED / 4 ? 0 : 1) + 0.25 * this.u[n]);
    let w = 0;
    const weight = d.map((one) => (w += eta * (one - w)));
    this.memory.textContent = ofSmoothing(eta);
    this.smoothed.draw({
      series: [{ label: "d", look: "lower", x, y: d }, { label: "w", look: "norm", x, y: weight }],
      x: { from: 0, to: SMOOTHED, log: false, label: "sample n" },
      y: { from: -1, to: 2, log: false },
      summary: "A step with noise, and a weight that follows it: more slowly, and more smoothly, the smaller η is.",
    });
  }

  private drawTones(run: FilterRun): void {
    const last = LENGTH - SPECTRUM;
    const dB = (samples: Float64Array): number[] => {
      const found = spectrum(samples.subarray(last));
      return Array.from({ length: SPECTRUM / 8 }, (_, k) => {
        const bins = found.subarray(4 * k, 4 * k + 4);
        return 10 * Math.log10(bins.reduce((sum, v) => sum + v, 0) / SPECTRUM + 1e-12);
      });
    };
    const x = Array.from({ length: SPECTRUM / 8 }, (_, k) => ((4 * k + 1.5) * RATE) / SPECTRUM);
    const series = [{ label: "d", look: "lower", x, y: dB(this.d) }];
    if (errorLevel(run, this.d) < HIGHEST) series.push({ label: "e", look: "norm", x, y: dB(run.e) });
    this.tones.draw({
      series,
      x: { from: 0, to: RATE / 2, log: false, label: "Hz" },
      y: { from: -60, to: 30, log: false },
      summary: "The spectra of d and of the error, in dB.",
    });
  }
}

/** The mean square of the last so many samples. */
function power(samples: Float64Array, last: number): number {
  let sum = 0;
  for (let k = samples.length - last; k < samples.length; k++) sum += samples[k] ** 2;
  return sum / last;
}

function clamp(value: number, most: number): number {
  return Number.isNaN(value) ? 0 : Math.min(most, Math.max(-most, value));
}
