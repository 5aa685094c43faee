/** The room of gates: one neuron is a gate, two layers are XOR. */
import { h, number } from "../dom";
import { grained, LineArrow, MOST } from "./arrow";
import { fires, INPUTS, PRESETS, signals, truth, WANTED, XOR_NETWORK } from "./neuron";
import type { Bits, Network, Neuron } from "./neuron";
import { alike, type RoomState } from "./roomstate";
import { card, Choice, layout, saying, Slider, table, type Room, type RoomPage } from "./parts";
import { corners, cut, Stage, type Point, type Straight } from "./stage";
import { ofGate, XOR_IS_NO_GATE } from "./words";

const LAYERS = "XOR by two layers";
const FRAME = { x0: -0.75, x1: 1.75, y0: -0.75, y1: 1.75 };
const LECTURE =
  "A neuron adds its weighted inputs and fires where the sum reaches its threshold: w1·x1 + w2·x2 ≥ θ. " +
  "The inputs on which it fires lie on one side of a line.";
const HINT =
  "Drag the circle on a line to move the line, the one at the tip of its arrow w to turn it; or use the sliders.";
export const GATES: Room = { key: "gates", name: "Gates", make: (chosen) => new Gates(chosen) };

/** Three sliders for one neuron. */
class Weights {
  readonly element: HTMLElement;
  private readonly sliders: Slider[];

  constructor(title: string, names: [string, string], changed: (neuron: Neuron) => void) {
    const keys = ["w1", "w2", "theta"] as const;
    const labels = [`weight of ${names[0]}`, `weight of ${names[1]}`, "threshold θ"];
    this.sliders = keys.map((key, k) => {
      const range = { label: labels[k], min: -MOST, max: MOST, step: 1 / 8 };
      return new Slider(range, (value) => changed({ ...this.neuron, [key]: grained(value) }));
    });
    this.element = h("div", { role: "group", "aria-label": title }, ...this.sliders.map((one) => one.element));
  }

  private neuron: Neuron = { w1: 0, w2: 0, theta: 0 };

  show(neuron: Neuron): void {
    this.neuron = neuron;
    [neuron.w1, neuron.w2, neuron.theta].forEach((value, k) => this.sliders[k].place(value));
  }
}

class Gates implements RoomPage {
  readonly element: HTMLElement;
  private gate = "AND";
  private neuron = PRESETS["AND"];
  private network: Network = XOR_NETWORK;
  private readonly choice = new Choice("Gate", [...Object.keys(WANTED), LAYERS], (gate) => this.choose(gate));
  private readonly inputs = new Stage("The four inputs, and the lines of the neurons", FRAME, ["x1", "x2"]);
  private readonly between = new Stage("What the output neuron sees", FRAME, ["h1", "h2"]);
  private readonly line = new LineArrow(this.inputs, "neuron", "one", [0.35, 1.15], (neuron) => this.set({ neuron }));
  private readonly lines = [
    new LineArrow(this.inputs, "h1", "one", [1.45, 0.05], (neuron) => this.setHidden(0, neuron)),
    new LineArrow(this.inputs, "h2", "two", [-0.45, 0.95], (neuron) => this.setHidden(1, neuron)),
  ];
  private readonly last = new LineArrow(this.between, "output", "out", [1.2, 0.3], (neuron) => this.setOutput(neuron));
  private readonly weights = new Weights("The neuron", ["x1", "x2"], (neuron) => this.set({ neuron }));
  private readonly hiddenWeights = [0, 1].map(
    (k) => new Weights(`Hidden neuron h${k + 1}`, ["x1", "x2"], (neuron) => this.setHidden(k, neuron)),
  );
  private readonly outputWeights = new Weights("Output neuron", ["h1", "h2"], (neuron) => this.setOutput(neuron));
  private readonly one = card("The neuron", this.weights.element);
  private readonly three = [
    ...this.hiddenWeights.map(({ element }, k) => card(`Hidden neuron h${k + 1}`, element)),
    card("Output neuron", this.outputWeights.element),
  ];
  private readonly second = h("figure", { class: "stage-box" });
  private readonly rows = h("div", { class: "scroll" });
  private readonly said = saying();
  private readonly why = h("p", { class: "muted" }, XOR_IS_NO_GATE);

  constructor(private readonly chosen: (show: string) => void) {
    this.second.append(h("figcaption", {}, "Between the layers: what the output neuron sees"), this.between.element);
    const first = h("figure", { class: "stage-box" }, h("figcaption", {}, "The inputs"), this.inputs.element);
    const again = h("button", { type: "button", click: () => this.choose(this.gate) }, "Put the weights back");
    this.element = layout({
      title: "Gates",
      words: LECTURE,
      stage: [
        this.choice.element,
        this.said,
        this.why,
        h("div", { class: "stages" }, first, this.second),
        h("p", { class: "hint" }, HINT),
      ],
      side: [card("Truth table", this.rows), this.one, ...this.three, again],
    });
    this.choose(this.gate, false);
  }

  open(show: string): void {
    if (Object.hasOwn(WANTED, show) || show === LAYERS) this.choose(show, false);
  }

  shown(): string {
    return this.gate;
  }

  state(): RoomState {
    return { gate: this.gate, neuron: this.neuron, network: this.network };
  }

  put(state: unknown): void {
    const { gate, neuron, network } = this;
    const like = { gate, neuron, network };
    if (!alike(state, like) || state.network.hidden.length !== 2) return;
    if (!Object.hasOwn(WANTED, state.gate) && state.gate !== LAYERS) return;
    const sound = ({ w1, w2, theta }: Neuron): Neuron => ({ w1: grained(w1), w2: grained(w2), theta: grained(theta) });
    const [first, second] = state.network.hidden;
    this.choose(state.gate, false);
    const hidden: [Neuron, Neuron] = [sound(first), sound(second)];
    this.set({ neuron: sound(state.neuron), network: { hidden, output: sound(state.network.output) } });
  }

  private choose(gate: string, told = true): void {
    this.gate = gate;
    this.choice.show(gate);
    this.neuron = PRESETS[gate] ?? this.neuron;
    this.network = XOR_NETWORK;
    for (const one of [this.line, ...this.lines, this.last]) one.rest();
    if (told) this.chosen(gate);
    this.draw();
  }

  private set(part: { neuron?: Neuron; network?: Network }): void {
    Object.assign(this, part);
    this.draw();
  }

  private setHidden(k: number, neuron: Neuron): void {
    const hidden: [Neuron, Neuron] = [...this.network.hidden];
    hidden[k] = neuron;
    this.set({ network: { ...this.network, hidden } });
  }

  private setOutput(output: Neuron): void {
    this.set({ network: { ...this.network, output } });
  }

  private draw(): void {
    const layers = this.gate === LAYERS;
    this.second.hidden = !layers;
    this.one.hidden = layers;
    for (const one of this.three) one.hidden = !layers;
    this.line.show(!layers);
    for (const one of this.lines) one.show(layers);
    if (layers) this.drawNetwork();
    else this.drawNeuron();
  }

  private drawNeuron(): void {
    const { neuron, gate } = this;
    this.weights.show(neuron);
    const outputs = truth(neuron);
    const line = lineOf(neuron);
    const ground = [region(this.inputs, [line], "fires"), region(this.inputs, [opposite(line)], "rests")];
    this.inputs.draw(ground, [...this.line.draw(neuron), ...this.dots(outputs)]);
    const rows = INPUTS.map((bits, k) => {
      const sum = neuron.w1 * bits[0] + neuron.w2 * bits[1];
      const reached = `${number(sum, 4)} ${outputs[k] === "1" ? "≥" : "<"} ${number(neuron.theta, 4)}`;
      return [bits.join(" "), reached, outputs[k], mark(outputs[k], WANTED[gate][k])];
    });
    const head = ["x1 x2", "sum, θ", "out", gate];
    this.rows.replaceChildren(table("What the neuron makes of each input", head, rows));
    this.say("neuron", outputs, WANTED[gate]);
  }

  private drawNetwork(): void {
    const { hidden, output } = this.network;
    hidden.forEach((neuron, k) => this.hiddenWeights[k].show(neuron));
    this.outputWeights.show(output);
    const seen = signals(this.network);
    const outputs = seen.map((one) => one.output).join("");
    const ways = INPUTS.map((bits) => {
      const sides = hidden.map((neuron, k) => (bits[k] ? lineOf(neuron) : opposite(lineOf(neuron))));
      return region(this.inputs, sides, fires(output, bits) ? "fires" : "rests");
    });
    const drawn = hidden.flatMap((neuron, k) => this.lines[k].draw(neuron));
    this.inputs.draw(ways, [...drawn, ...this.dots(outputs)]);
    const line = lineOf(output);
    const ground = [region(this.between, [line], "fires"), region(this.between, [opposite(line)], "rests")];
    this.between.draw(ground, [...this.last.draw(output), ...this.meetings(seen.map((one) => one.hidden), outputs)]);
    const rows = INPUTS.map((bits, k) => {
      return [bits.join(" "), seen[k].hidden.join(" "), outputs[k], mark(outputs[k], WANTED["XOR"][k])];
    });
    const head = ["x1 x2", "h1 h2", "out", "XOR"];
    this.rows.replaceChildren(table("What the network makes of each input", head, rows));
    this.say("network", outputs, WANTED["XOR"]);
  }

  private say(who: "neuron" | "network", outputs: string, wanted: string): void {
    this.said.textContent = ofGate(who, outputs, wanted);
    this.said.classList.toggle("done", outputs === wanted);
    this.why.hidden = this.gate !== "XOR";
  }

  /** The four inputs: full where the output is 1. */
  private dots(outputs: string): SVGElement[] {
    return INPUTS.flatMap((bits, k) => dot(this.inputs, bits, outputs[k], bits.join(" ")));
  }

  /** The inputs as the output neuron sees them; some may meet. */
  private meetings(seen: Bits[], outputs: string): SVGElement[] {
    return INPUTS.flatMap((bits) => {
      const here = seen.flatMap((hidden, k) => (hidden.join() === bits.join() ? [k] : []));
      if (here.length === 0) return [];
      return dot(this.between, bits, outputs[here[0]], here.map((k) => INPUTS[k].join("")).join(", "));
    });
  }
}

/** The part of a stage that is on these sides of these lines. */
function region(stage: Stage, sides: Straight[], look: string): SVGElement {
  return stage.polygon(sides.reduce(cut, corners(FRAME)), look);
}

function dot(stage: Stage, bits: Bits, output: string, name: string): SVGElement[] {
  const at: Point = [bits[0], bits[1]];
  const look = output === "1" ? "corner positive" : "corner negative";
  const mark = stage.polygon(
    Array.from({ length: 24 }, (_, k): Point => {
      const turn = (Math.PI * k) / 12;
      return [at[0] + 0.055 * Math.cos(turn), at[1] + 0.055 * Math.sin(turn)];
    }),
    look,
  );
  return [mark, stage.text(at, name, "corner-name", bits[0] ? 14 : -14, bits[1] ? -12 : 22, bits[0] ? "start" : "end")];
}

function lineOf({ w1, w2, theta }: Neuron): Straight {
  return [w1, w2, -theta];
}

function opposite([w1, w2, c]: Straight): Straight {
  return [-w1, -w2, -c];
}

function mark(output: string, wanted: string): HTMLElement {
  const right = output === wanted;
  return h("span", { class: right ? "right" : "wrong" }, `${wanted} ${right ? "✓" : "✗"}`);
}
