/** Threshold neurons of two inputs, as in logic/gates.py: one fires where w1·x1 + w2·x2 ≥ θ, decided exactly. */
import { Fraction } from "../proof/fraction";

export interface Neuron {
  w1: number;
  w2: number;
  theta: number;
}

export type Bits = readonly [number, number];

/** The rows of a truth table, in the order of their numbers. */
export const INPUTS: readonly Bits[] = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
];

/** What the neuron fires on, in the order of `INPUTS`, for every wanted function. */
export const WANTED: Record<string, string> = {
  AND: "0001",
  OR: "0111",
  NAND: "1110",
  NOR: "1000",
  "NOT x1": "1100",
  XOR: "0110",
};

const NAMES: Record<string, string> = {
  ...Object.fromEntries(Object.entries(WANTED).map(([name, outputs]) => [outputs, name])),
  "0000": "0, whatever comes in",
  "1111": "1, whatever comes in",
  "0010": "x1 AND NOT x2",
  "0100": "x2 AND NOT x1",
  "1011": "x1 OR NOT x2",
  "1101": "x2 OR NOT x1",
  "0011": "x1",
  "0101": "x2",
  "1010": "NOT x2",
  "1001": "XNOR",
};

/** Weights that make each gate, its line in the middle between the rows. */
export const PRESETS: Record<string, Neuron> = {
  AND: { w1: 1, w2: 1, theta: 1.5 },
  OR: { w1: 1, w2: 1, theta: 0.5 },
  NAND: { w1: -1, w2: -1, theta: -1.5 },
  NOR: { w1: -1, w2: -1, theta: -0.5 },
  "NOT x1": { w1: -1, w2: 0, theta: -0.5 },
  XOR: { w1: 1, w2: 1, theta: 0.5 }, // three rows of four
};

/** Two neurons that see the inputs, and one that sees the two. */
export interface Network {
  hidden: [Neuron, Neuron];
  output: Neuron;
}

/** NAND and OR, joined by AND. */
export const XOR_NETWORK: Network = { hidden: [PRESETS["NAND"], PRESETS["OR"]], output: PRESETS["AND"] };

export function fires({ w1, w2, theta }: Neuron, [x1, x2]: Bits): number {
  let sum = Fraction.of(0);
  if (x1) sum = sum.plus(Fraction.of(w1));
  if (x2) sum = sum.plus(Fraction.of(w2));
  return sum.below(Fraction.of(theta)) ? 0 : 1;
}

/** What each row of inputs makes of a neuron, as in `WANTED`. */
export function truth(neuron: Neuron): string {
  return INPUTS.map((bits) => fires(neuron, bits)).join("");
}

export interface Signals {
  hidden: Bits;
  output: number;
}

export function signals({ hidden, output }: Network): Signals[] {
  return INPUTS.map((bits) => {
    const between: Bits = [fires(hidden[0], bits), fires(hidden[1], bits)];
    return { hidden: between, output: fires(output, between) };
  });
}

export function nameOf(outputs: string): string {
  return NAMES[outputs];
}
