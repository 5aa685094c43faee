/** A neuron's line on a stage: a handle on the line moves it, one on the tip of w turns it. */
import { straight } from "../contour";
import { number } from "../dom";
import type { Neuron } from "./neuron";
import type { Handle, Point, Stage } from "./stage";

const LENGTH = 0.4; // of the arrow of a w of length one
const GRAIN = 8; // weights are whole eighths: sums of them are exact, and easy to read
export const MOST = 3; // of a weight or threshold

export function grained(value: number): number {
  return Math.min(MOST, Math.max(-MOST, Math.round(value * GRAIN) / GRAIN)) + 0; // no −0
}

export class LineArrow {
  private neuron: Neuron = { w1: 0, w2: 0, theta: 0 };
  private anchor: Point; // where the person, or the room, put the arrow; rounded weights may leave it beside the line
  private foot: Point;
  private made: Neuron | null = null; // by these handles
  private readonly grips: [Handle, Handle];

  constructor(
    private readonly stage: Stage,
    private readonly name: string,
    private readonly look: string,
    /** Near here the arrow stands on its line, so that arrows do not cover each other. */
    private readonly home: Point,
    private readonly changed: (neuron: Neuron) => void,
  ) {
    this.anchor = this.foot = home;
    this.grips = [
      stage.handle(`${look} foot`, { move: (a, b) => this.moveTo([a, b]) }),
      stage.handle(`${look} tip`, { move: (a, b) => this.turnTo([a, b]) }),
    ];
  }

  show(seen: boolean): void {
    for (const grip of this.grips) grip.show(seen);
  }

  /** Go back to where the arrow stood at first. */
  rest(): void {
    this.anchor = this.home;
  }

  /** The line, its arrow and its name; the handles go along. */
  draw(neuron: Neuron): SVGElement[] {
    const { w1, w2, theta } = (this.neuron = neuron);
    this.foot = this.projected(this.anchor);
    if (neuron !== this.made) this.anchor = this.foot;
    const tip: Point = [this.foot[0] + LENGTH * w1, this.foot[1] + LENGTH * w2];
    this.grips[0].place(this.foot, `Line of ${this.name}, threshold ${number(theta, 4)}; drag, or use the arrow keys`);
    const inside = this.stage.inside(tip);
    const arrow = `Arrow of ${this.name}, weights ${number(w1, 4)} and ${number(w2, 4)}`;
    this.grips[1].place(inside, `${arrow}; drag, or use the arrow keys`);
    const parts: SVGElement[] = [];
    for (const [a, b, c, d] of straight(w1, w2, -theta, this.stage.frame)) {
      parts.push(this.stage.segment([a, b], [c, d], `line ${this.look}`));
    }
    parts.push(this.stage.arrow(this.foot, inside, `pointer ${this.look}`));
    const below = w2 > 0 ? -14 : 20;
    parts.push(this.stage.text(inside, this.name, `line-name ${this.look}`, 0, below));
    return parts;
  }

  private moveTo([a, b]: Point): void {
    const { w1, w2 } = this.neuron;
    this.change([a, b], w1, w2);
  }

  private turnTo([a, b]: Point): void {
    const [x, y] = this.anchor;
    this.change(this.anchor, grained((a - x) / LENGTH), grained((b - y) / LENGTH));
  }

  private change(anchor: Point, w1: number, w2: number): void {
    this.anchor = anchor;
    this.made = { w1, w2, theta: grained(w1 * anchor[0] + w2 * anchor[1]) };
    this.changed(this.made);
  }

  /** The point of the line nearest to this one, or to its home where that is not seen. */
  private projected(from: Point): Point {
    const { w1, w2, theta } = this.neuron;
    const square = w1 * w1 + w2 * w2;
    if (square === 0) return this.stage.inside(from);
    const nearest = ([a, b]: Point): Point => {
      const far = (theta - w1 * a - w2 * b) / square;
      return [a + far * w1, b + far * w2];
    };
    const found = nearest(from);
    const [a, b] = this.stage.inside(found);
    return a === found[0] && b === found[1] ? found : this.stage.inside(nearest(this.home));
  }
}
