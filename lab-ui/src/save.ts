/** Pictures and tables to keep. */
import type { Data } from "./data";
import type { Plane } from "./plane";
import type { Replay } from "./replay";
import type { Points, Result } from "./types";

export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function pointsCsv(data: Data): Blob {
  const all = data.allRows();
  return all ? learnedCsv(data.names, all, data) : labelled(data.names, data.rows, data.y, data);
}

/** The points as the learner sees them, which is what a certificate is about. */
export function learnedCsv(names: string[], { n, p, X, y }: Points, data: Data): Blob {
  const rows = Array.from({ length: n }, (_, i) => Array.from(X.subarray(i * p, (i + 1) * p)));
  return labelled(names, rows, y, data);
}

function labelled(names: string[], rows: number[][], y: ArrayLike<number>, data: Data): Blob {
  const lines = rows.map((row, i) => [...row.map(String), quoted(data.written(y[i]))].join(","));
  return csv([[...names.map(quoted), "class"].join(","), ...lines]);
}

/** Every correction: the point, the step, and the weights after it. */
export function correctionsCsv(result: Result, replay: Replay, names: string[]): Blob {
  const lines = ["k,point,step," + [...names, "bias"].map((name) => quoted(`w ${name}`)).join(",")];
  for (let k = 0; k <= replay.length; k++) {
    const what = k === 0 ? "," : `${result.rows[k - 1] + 1},${result.steps[k - 1]}`;
    lines.push(`${k},${what},${replay.at(k).join(",")}`);
  }
  return csv(lines);
}

function csv(lines: string[]): Blob {
  return new Blob([lines.join("\n") + "\n"], { type: "text/csv" });
}

/** Text that a spreadsheet will not take for a formula, and that may hold commas. */
function quoted(text: string): string {
  const safe = /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "font-size",
  "font-family",
  "font-weight",
  "paint-order",
  "stroke-linejoin",
  "fill-opacity",
];

/** The plane as it is seen, at twice the size. */
export async function png(plane: Plane): Promise<Blob> {
  const canvas = document.createElement("canvas");
  await paint(plane, canvas);
  return new Promise((done) => canvas.toBlob((blob) => done(blob!), "image/png"));
}

/** The run as a film: the plane at each of these corrections, and the last one for a while. */
export async function film(plane: Plane, stops: number[], go: (k: number) => void): Promise<Blob> {
  const canvas = document.createElement("canvas");
  await paint(plane, canvas);
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: "video/webm" });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const over = new Promise((done) => (recorder.onstop = done));
  let began = false;
  recorder.onstart = () => (began = true);
  recorder.start();
  const shoot = async (): Promise<void> => {
    await paint(plane, canvas);
    await new Promise((done) => setTimeout(done, FRAME));
  };
  go(stops[0]);
  for (let i = 0; i < WAITS && !began; i++) await shoot(); // a busy machine begins late
  for (const k of [...stops, ...Array<number>(4).fill(stops[stops.length - 1])]) {
    go(k);
    await shoot();
  }
  recorder.stop();
  await over;
  return new Blob(parts, { type: "video/webm" });
}

const FRAME = 250; // milliseconds that a correction is seen
const WAITS = 40;

/** The plane as it is seen, as a drawing: points that are painted, and the tint, are pictures in it. */
export function svg(plane: Plane): Blob {
  const [width, height] = plane.size;
  const copy = drawingOf(plane.svg, width, height);
  const beneath = [plane.element.querySelector<HTMLCanvasElement>("canvas.tint")!, plane.dots].map((canvas) => {
    const image = document.createElementNS(copy.namespaceURI!, "image");
    const at = { href: canvas.toDataURL(), width, height, preserveAspectRatio: "none" };
    for (const [name, value] of Object.entries(at)) image.setAttribute(name, String(value));
    return image;
  });
  copy.prepend(...beneath);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

async function paint(plane: Plane, canvas: HTMLCanvasElement): Promise<void> {
  const [width, height] = plane.size;
  if (canvas.width !== 2 * width || canvas.height !== 2 * height) Object.assign(canvas, { width: 2 * width, height: 2 * height });
  const seen = await picture(plane.svg, width, height);
  const context = canvas.getContext("2d")!;
  context.setTransform(2, 0, 0, 2, 0, 0);
  context.fillStyle = getComputedStyle(plane.element).backgroundColor;
  context.fillRect(0, 0, width, height);
  context.drawImage(plane.element.querySelector("canvas.tint")!, 0, 0, width, height);
  context.drawImage(plane.dots, 0, 0, width, height);
  context.drawImage(seen, 0, 0, width, height);
}

/** A drawing of its own: it has no style sheet, so every element carries its own styles. */
function drawingOf(svg: SVGSVGElement, width: number, height: number): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll("*")],
    copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    for (const name of STYLES) copies[i].setAttribute(name, style.getPropertyValue(name));
  });
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return copy;
}

function picture(svg: SVGSVGElement, width: number, height: number): Promise<HTMLImageElement> {
  const copy = drawingOf(svg, width, height);
  const address = URL.createObjectURL(
    new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }),
  );
  return new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => {
      URL.revokeObjectURL(address);
      done(image);
    };
    image.onerror = () => failed(new Error("the picture could not be drawn"));
    image.src = address;
  });
}
