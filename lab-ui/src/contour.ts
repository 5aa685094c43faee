/** Where a function on the plane is zero: a straight line across the frame, or a curve in short pieces. */

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

/** f = 0 by marching squares. */
export function curved(f: F, { x0, x1, y0, y1 }: Frame, cells = 73): Piece[] {
  const dx = (x1 - x0) / cells,
    dy = (y1 - y0) / cells;
  const values: number[][] = [];
  for (let r = 0; r <= cells; r++)
    values.push(Array.from({ length: cells + 1 }, (_, c) => f(x0 + c * dx, y0 + r * dy)));
  const pieces: Piece[] = [];
  for (let r = 0; r < cells; r++) {
    for (let c = 0; c < cells; c++) {
      const corners = [values[r][c], values[r][c + 1], values[r + 1][c + 1], values[r + 1][c]];
      const positive = corners[0] > 0;
      if (positive === corners[1] > 0 && positive === corners[2] > 0 && positive === corners[3] > 0) continue; // most
      const places = [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ];
      const cuts: [number, number][] = [];
      for (let e = 0; e < 4; e++) {
        const a = corners[e],
          b = corners[(e + 1) % 4];
        if (a > 0 === b > 0) continue;
        const at = a / (a - b);
        const [pa, pb] = [places[e], places[(e + 1) % 4]];
        cuts.push([x0 + (c + pa[0] + at * (pb[0] - pa[0])) * dx, y0 + (r + pa[1] + at * (pb[1] - pa[1])) * dy]);
      }
      if (cuts.length === 2) pieces.push([...cuts[0], ...cuts[1]]);
      if (cuts.length === 4) {
        // a saddle: the value in the middle says which corners belong together
        const middle = f(x0 + (c + 0.5) * dx, y0 + (r + 0.5) * dy);
        const pairs =
          Math.abs(middle) < 1e-9 * Math.max(...corners.map(Math.abs))
            ? [0, 2, 1, 3]
            : middle > 0 === corners[0] > 0
              ? [0, 1, 2, 3]
              : [3, 0, 1, 2];
        for (const k of [0, 2]) pieces.push([...cuts[pairs[k]], ...cuts[pairs[k + 1]]]);
      }
    }
  }
  return pieces;
}
