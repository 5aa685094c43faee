/** The theorem's margin and the widest street: nearest points of hulls, with ends that whole numbers prove. */
import { dot, FLOATS, mixed, SHORTENED, WHOLE, type Arithmetic } from "./arithmetic";
import { inOneUnit, type Examples } from "./dyadic";
import { nearest, type Hull, type Nearest, type Vertex } from "./nearest";
import { bitLength, largest, primitive, rootAbove } from "./whole";

/** lower ≤ margin ≤ upper, as [over, under]. */
export interface Interval {
  w: bigint[];
  lower: [bigint, bigint];
  upper: [bigint, bigint];
  lambda: Map<number, bigint>;
}

const FEW = 12; // columns up to which the nearest point is sought to the end
const NARROW = 1_000_000n;

/** max min z·w/‖w‖; null if it is zero. */
export function margin(examples: Examples): Interval | null {
  const { rows, shift } = inOneUnit(examples);
  const found = solved(rows, hullOfRows);
  const proved = ends(found, shift);
  const lambda = new Map(found.corral.map((v, k) => [v.rows[0], found.parts[k]]));
  return proved && { w: primitive(found.x), lambda, ...proved };
}

/** The same with ‖w‖ without the bias: half the distance of the classes' hulls; null if they meet. */
export function street(examples: Examples): Interval | null {
  const { rows, shift } = inOneUnit(examples);
  const y = rows.map((row) => (row[row.length - 1] > 0n ? 1 : -1));
  const inputs = rows.map((row) => row.slice(0, -1)); // y·x
  const found = solved(inputs, (numbers, all) => hullOfPairs(numbers, all, y));
  const proved = ends(found, shift + 1);
  const lambda = new Map<number, bigint>();
  found.corral.forEach((pair, k) => {
    for (const i of pair.rows) lambda.set(i, (lambda.get(i) ?? 0n) + found.parts[k]);
  });
  const [one, other] = found.lowest.rows.map((i) => dot(WHOLE, inputs[i], found.x));
  const bias = other - one; // y(w·x + b) is the same for the nearest of both classes
  return proved && { w: primitive([...found.x.map((v) => v << BigInt(shift + 1)), bias]), lambda, ...proved };
}

interface Solved extends Nearest<bigint> {
  lowest: Vertex<bigint>;
}

/** v·x/‖x‖ of the lowest vertex, and ‖x‖/sum: the one is at most the distance of the hull, the other at least. */
function ends({ x, sum, lowest }: Solved, shift: number): Pick<Interval, "lower" | "upper"> | null {
  const height = dot(WHOLE, lowest.at, x);
  if (height <= 0n) return null;
  const [length, under] = rootAbove(dot(WHOLE, x, x)); // ‖x‖, rounded up
  return {
    lower: [height * under, length << BigInt(shift)],
    upper: [length, (sum * under) << BigInt(shift)],
  };
}

type MakeHull = <T>(numbers: Arithmetic<T>, rows: readonly T[][]) => Hull<T>;

/** Floats suggest the vertices; whole numbers go on from there, long ones only where short ones do not tell. */
function solved(rows: readonly bigint[][], make: MakeHull): Solved {
  const bits = bitLength(largest(rows.flat()));
  const shift = Math.max(0, bits - 60);
  const floats = rows.map((row) => row.map((v) => Number(v >> BigInt(shift)) / 2 ** (bits - shift))); // below one
  const steps = 50 + 10 * rows[0].length;
  const hint = begun(FLOATS, make(FLOATS, floats), [], steps);
  const hull = make(WHOLE, rows);
  const vertices = hint?.corral.map((v) => v.rows) ?? [];
  const rough = hint && rows[0].length > FEW ? rounded(hint, hull) : null;
  if (rough) return rough;
  const found = begun(SHORTENED, hull, vertices, steps) ?? begun(WHOLE, hull, vertices, Infinity)!;
  return { ...found, lowest: hull.lowest(found.x) };
}

/** The floats' own mixture in whole numbers, where it is good to six digits: with many columns better ones take long. */
function rounded({ corral, parts }: Nearest<number>, hull: Hull<bigint>): Solved | null {
  const most = Math.max(...parts);
  const whole = parts.map((v) => BigInt(Math.ceil((v / most) * 2 ** 52)));
  const vertices = corral.map((v) => hull.vertex(v.rows));
  const x = mixed(
    WHOLE,
    whole,
    vertices.map((v) => v.at),
    vertices[0].at.length,
  );
  const sum = whole.reduce(WHOLE.plus),
    lowest = hull.lowest(x);
  const missing = dot(WHOLE, x, x) - sum * dot(WHOLE, lowest.at, x);
  return missing * NARROW > dot(WHOLE, x, x) ? null : { corral: vertices, parts: whole, sum, x, lowest };
}

function begun<T>(numbers: Arithmetic<T>, hull: Hull<T>, corral: number[][], most: number): Nearest<T> | null {
  const begin = corral.length > 0 ? corral.map((rows) => hull.vertex(rows)) : [hull.lowest([])];
  return nearest(numbers, hull, begin, most);
}

function hullOfRows<T>(numbers: Arithmetic<T>, rows: readonly T[][]): Hull<T> {
  const vertex = ([i]: number[]): Vertex<T> => ({ rows: [i], at: rows[i] });
  const all = rows.map((_, i) => i);
  return { vertex, lowest: (x) => vertex([lowestOf(numbers, rows, all, x)]) };
}

/** Differences of a row of one class and a row of the other: the nearest one is the street's width. */
function hullOfPairs<T>(numbers: Arithmetic<T>, rows: readonly T[][], y: number[]): Hull<T> {
  const vertex = (pair: number[]): Vertex<T> => ({
    rows: pair,
    at: rows[pair[0]].map((v, j) => numbers.plus(v, rows[pair[1]][j])),
  });
  const [positive, negative] = [1, -1].map((side) => rows.map((_, i) => i).filter((i) => y[i] === side));
  const lowest = (x: readonly T[]): Vertex<T> =>
    vertex([lowestOf(numbers, rows, positive, x), lowestOf(numbers, rows, negative, x)]);
  return { vertex, lowest };
}

function lowestOf<T>(numbers: Arithmetic<T>, rows: readonly T[][], some: number[], x: readonly T[]): number {
  if (x.length === 0) return some[0];
  let best = some[0],
    least = dot(numbers, rows[best], x);
  for (const i of some) {
    const value = dot(numbers, rows[i], x);
    if (value < least) [best, least] = [i, value];
  }
  return best;
}
