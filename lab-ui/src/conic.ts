/**
 * Where a·x² + b·x·y + c·y² + d·x + e·y + f is zero: a straight line, two of them, an ellipse, a parabola, a hyperbola.
 * Every place of a stroke is on the curve, by the curve's own formula; straight parts are strokes of two places.
 */
import { straight, type Frame } from "./contour";

export type Conic = readonly [xx: number, xy: number, yy: number, x: number, y: number, one: number];
type Place = [number, number];
/** Places on the curve, one after the other. */
export type Stroke = Place[];

const FINE = 1e-12; // what rounding may leave of a zero
const SHORT = 1 / 160; // of the frame: the distance of two places
const LEAST = 5; // halvings of a curve before it is looked at
const MOST = 18;

export function conic([a, b, c, d, e, f]: Conic, frame: Frame): Stroke[] {
  if (a === 0 && b === 0 && c === 0) return lines([[d, e, f]], frame);
  const turn = Math.atan2(b, a - c) / 2; // the curve's own axes
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const first = a * cos * cos + b * cos * sin + c * sin * sin,
    second = a * sin * sin - b * cos * sin + c * cos * cos;
  const inside = b * b - 4 * a * c;
  if (Math.abs(inside) <= FINE * Math.max(b * b, Math.abs(4 * a * c))) {
    return parabola(Math.abs(first) > Math.abs(second) ? [first, cos, sin] : [second, -sin, cos], [d, e, f], frame);
  }
  const middle: Place = [(2 * c * d - b * e) / inside, (2 * a * e - b * d) / inside];
  const terms = [f, (d * middle[0]) / 2, (e * middle[1]) / 2];
  const height = terms[0] + terms[1] + terms[2]; // first·u² + second·v² + height = 0 around the middle
  const around = (u: number, v: number): Place => [middle[0] + cos * u - sin * v, middle[1] + sin * u + cos * v];
  if (Math.abs(height) <= FINE * Math.max(...terms.map(Math.abs))) return crossing([a, b, c], inside, middle, frame);
  const [p, q] = [-height / first, -height / second]; // squares of the half axes
  const [r, t] = [Math.sqrt(Math.abs(p)), Math.sqrt(Math.abs(q))];
  if (p < 0 && q < 0) return [];
  if (p > 0 && q > 0) return trace((s) => around(r * Math.cos(s), t * Math.sin(s)), 0, 2 * Math.PI, frame);
  const end = Math.asinh(reach(middle, frame) / Math.min(r, t)) + 1;
  const branch = (sign: number) => (s: number): Place =>
    p > 0 ? around(sign * r * Math.cosh(s), t * Math.sinh(s)) : around(r * Math.sinh(s), sign * t * Math.cosh(s));
  return [1, -1].flatMap((sign) => trace(branch(sign), -end, end, frame));
}

function lines(weights: [number, number, number][], frame: Frame): Stroke[] {
  return weights.flatMap((one) => straight(...one, frame)).map(([a, b, c, d]): Stroke => [[a, b], [c, d]]);
}

/** Two straight lines through one place, or that place alone, which is not drawn. */
function crossing([a, b, c]: [number, number, number], inside: number, [x, y]: Place, frame: Frame): Stroke[] {
  if (inside < 0) return [];
  const through = (u: number, v: number): [number, number, number] => [u, v, -(u * x + v * y)];
  const root = Math.sqrt(inside);
  const pair = a === 0 ? [through(0, 1), through(b, c)] : [through(2 * a, b - root), through(2 * a, b + root)];
  return lines(pair, frame);
}

/** size·u² and a straight rest: over u there is one height v, or the rest has no v and there are two lines. */
function parabola([size, cos, sin]: Place3, [d, e, f]: Place3, frame: Frame): Stroke[] {
  const [along, up] = [d * cos + e * sin, e * cos - d * sin];
  if (Math.abs(up) <= FINE * Math.max(Math.abs(d), Math.abs(e))) {
    const root = along * along - 4 * size * f;
    if (root < 0) return [];
    const at = [-1, 1].map((sign) => (-along + sign * Math.sqrt(root)) / (2 * size));
    return lines(at.map((u) => [cos, sin, -u]), frame);
  }
  const end = reach([0, 0], frame);
  const at = (u: number): Place => {
    const v = -((size * u + along) * u + f) / up;
    return [cos * u - sin * v, sin * u + cos * v];
  };
  return trace(at, -end, end, frame);
}

type Place3 = [number, number, number];

/** How far the frame's corners are from a place. */
function reach([x, y]: Place, { x0, x1, y0, y1 }: Frame): number {
  return Math.hypot(Math.max(Math.abs(x0 - x), Math.abs(x1 - x)), Math.max(Math.abs(y0 - y), Math.abs(y1 - y)));
}

/** The part of a curve that is seen, in steps too short to be noticed. */
function trace(at: (s: number) => Place, from: number, to: number, { x0, x1, y0, y1 }: Frame): Stroke[] {
  const [width, height] = [x1 - x0, y1 - y0];
  const strokes: Stroke[] = [];
  let open = false;
  const visit = (s: number, p: Place, t: number, q: Place, halved: number): void => {
    const [dx, dy] = [Math.abs(p[0] - q[0]) / width, Math.abs(p[1] - q[1]) / height];
    const room = 0.02 + 0.2 * (dx + dy); // the curve may bend beyond its chord
    const beside =
      Math.max(p[0], q[0]) < x0 - room * width ||
      Math.min(p[0], q[0]) > x1 + room * width ||
      Math.max(p[1], q[1]) < y0 - room * height ||
      Math.min(p[1], q[1]) > y1 + room * height;
    if (halved >= LEAST && beside) return void (open = false);
    if (halved >= MOST || (halved >= LEAST && dx + dy < SHORT)) {
      if (!open) strokes.push([p]);
      open = true;
      return void strokes[strokes.length - 1].push(q);
    }
    const middle = (s + t) / 2,
      between = at(middle);
    visit(s, p, middle, between, halved + 1);
    visit(middle, between, t, q, halved + 1);
  };
  visit(from, at(from), to, at(to), 0);
  return strokes;
}
