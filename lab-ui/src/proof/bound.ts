/** The convergence theorem's numbers for a separating w: δ = min w·z, ε = max‖z‖², and the mistake bound, exactly. */
import { dot, WHOLE } from "./arithmetic";
import { inOneUnit, type Examples } from "./dyadic";
import { Fraction } from "./fraction";
import { floorDivide, root, rootAbove } from "./whole";

export interface Extremes {
  delta: Fraction;
  epsilon: Fraction;
}

/** For a run on z, or on z/‖z‖, whose δ is rounded down. */
export function extremes(examples: Examples, w: bigint[], normalize: boolean): Extremes {
  const { rows, shift } = inOneUnit(examples);
  const unit = 1n << BigInt(shift);
  const squares = rows.map((z) => dot(WHOLE, z, z));
  const gains = rows.map((z, i) => {
    const gain = dot(WHOLE, z, w);
    if (!normalize) return new Fraction(gain, unit);
    const [over, under] = rootAbove(squares[i]); // ‖z‖, rounded up: δ is rounded down
    return new Fraction(gain * under, over);
  });
  const delta = gains.reduce((a, b) => (b.below(a) ? b : a));
  const longest = squares.reduce((a, b) => (b > a ? b : a));
  return { delta, epsilon: normalize ? new Fraction(1n, 1n) : new Fraction(longest, unit * unit) };
}

/** The largest n with (w·w(0) + nηδ)² ≤ ‖w‖²·(‖w(0)‖² + nη²ε): no run makes more corrections. */
export function mistakeBound(w: bigint[], { delta, epsilon }: Extremes, start: Iterable<number>, eta: number): bigint {
  const zero = new Fraction(0n, 1n);
  const weights = w.map((v) => new Fraction(v, 1n));
  const begin = [...start].map((v) => Fraction.of(v));
  const along = begin.reduce((sum, v, j) => sum.plus(v.times(weights[j])), zero);
  const square = (all: Fraction[]): Fraction => all.reduce((sum, v) => sum.plus(v.times(v)), zero);
  const step = Fraction.of(eta);
  const gain = step.times(delta);
  const size = square(weights);
  const two = new Fraction(2n, 1n);
  // a·n² + b·n + c ≤ 0
  const a = gain.times(gain);
  const b = two.times(gain).times(along).plus(size.times(step).times(step).times(epsilon).negative());
  const c = along.times(along).plus(size.times(square(begin)).negative());
  const A = a.over * b.under * c.under,
    B = b.over * a.under * c.under,
    C = c.over * a.under * b.under;
  return floorDivide(root(B * B - 4n * A * C) - B, 2n * A);
}
