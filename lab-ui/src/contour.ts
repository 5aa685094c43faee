/** Where a function on the plane is zero: a straight line across the frame, or a curve of any kind in short pieces. */

export interface Frame {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

export type Piece = [number, number, number, number];
type F = (a: number, b: number) => number;

/** w1·x + w2·y + b = 0 inside the frame. */
export function straight(w1: number, w2: number, b: number, { x0, x1, y0, y1 }: Frame): Piece[] {
  const cuts: [number, number][] = [];
  const inside = (a: number, b: number): boolean =>
    a >= x0 - 1e-9 * (x1 - x0) &&
    a <= x1 + 1e-9 * (x1 - x0) &&
    b >= y0 - 1e-9 * (y1 - y0) &&
    b <= y1 + 1e-9 * (y1 - y0);
  if (w2 !== 0) for (const x of [x0, x1]) if (inside(x, -(b + w1 * x) / w2)) cuts.push([x, -(b + w1 * x) / w2]);
  if (w1 !== 0) for (const y of [y0, y1]) if (inside(-(b + w2 * y) / w1, y)) cuts.push([-(b + w2 * y) / w1, y]);
  if (cuts.length < 2) return [];
  const size = (c: [number, number]): number =>
    Math.abs(c[0] - cuts[0][0]) / (x1 - x0) + Math.abs(c[1] - cuts[0][1]) / (y1 - y0);
  const far = cuts.reduce((best, c) => (size(c) > size(best) ? c : best));
  return [[...cuts[0], ...far]];
}

const PLACES = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];

/** f = 0 by marching squares. */
export function curved(f: F, { x0, x1, y0, y1 }: Frame, cells = 48): Piece[] {
  const dx = (x1 - x0) / cells,
    dy = (y1 - y0) / cells,
    wide = cells + 1;
  const values = new Float64Array(wide * wide);
  for (let r = 0; r < wide; r++) for (let c = 0; c < wide; c++) values[r * wide + c] = f(x0 + c * dx, y0 + r * dy);
  const pieces: Piece[] = [];
  for (let r = 0; r < cells; r++) {
    for (let c = 0; c < cells; c++) {
      const at = r * wide + c;
      const positive = values[at] > 0;
      const same = positive === values[at + 1] > 0 && positive === values[at + wide] > 0;
      if (same && positive === values[at + wide + 1] > 0) continue; // most cells
      const corners = [values[at], values[at + 1], values[at + wide + 1], values[at + wide]];
      const middle = (): number => f(x0 + (c + 0.5) * dx, y0 + (r + 0.5) * dy);
      for (const [a, b, d, e] of crossing(corners, middle)) {
        pieces.push([x0 + (c + a) * dx, y0 + (r + b) * dy, x0 + (c + d) * dx, y0 + (r + e) * dy]);
      }
    }
  }
  return pieces;
}

/** Where the zeros cross a cell of size one, by the values at its corners and in its middle. */
function crossing(corners: number[], middle: () => number): Piece[] {
  const cuts: [number, number][] = [];
  for (let e = 0; e < 4; e++) {
    const a = corners[e],
      b = corners[(e + 1) % 4];
    if (a > 0 === b > 0) continue;
    const at = a / (a - b);
    const [from, to] = [PLACES[e], PLACES[(e + 1) % 4]];
    cuts.push([from[0] + at * (to[0] - from[0]), from[1] + at * (to[1] - from[1])]);
  }
  if (cuts.length !== 4) return cuts.length === 2 ? [[...cuts[0], ...cuts[1]]] : [];
  // a saddle: the value in the middle says which corners belong together
  const value = middle();
  const unclear = Math.abs(value) < 1e-9 * Math.max(...corners.map(Math.abs));
  const [i, j, k, l] = unclear ? [0, 2, 1, 3] : value > 0 === corners[0] > 0 ? [0, 1, 2, 3] : [3, 0, 1, 2];
  return [
    [...cuts[i], ...cuts[j]],
    [...cuts[k], ...cuts[l]],
  ];
}
