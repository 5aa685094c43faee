/** Making elements, and words for numbers. */

type Child = Node | string | null | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== false));
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** A number with so many significant digits, a real minus sign, and powers of ten where it is very large or small. */
export function number(value: number, digits = 3): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 1)).split("e");
    return `${minus(String(Number(mantissa)))}·10${superscript(Number(exponent))}`;
  }
  const text = size >= 10 ** digits ? String(Math.round(value)) : String(Number(value.toPrecision(digits)));
  return minus(text);
}

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function whole(value: number): string {
  return Math.abs(value) < 1e15 ? minus(WHOLE.format(value)) : number(value);
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${whole(value)} ${value === 1 ? one : many}`;
}

function minus(text: string): string {
  return text.replace("-", "−");
}

export function superscript(value: number): string {
  return [...String(value)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
}

/** A sentence as books print it: powers of ten raised, real minus signs. Words and numbers stay the same. */
export function typeset(sentence: string): string {
  const raised = (text: string): string => superscript(Number(text.replaceAll(",", "")));
  return sentence
    .replace(/10\^(-?[\d,]*\d)/g, (_, power: string) => `10${raised(power)}`)
    .replace(/(\d)e([+-]\d+)/g, (_, digit: string, power: string) => `${digit}·10${raised(power)}`)
    .replace(/(^|[\s(=])-(?=[\d.])/g, "$1−");
}

/** Round numbers about `wanted` of them between two ends. */
export function ticks(from: number, to: number, wanted: number): number[] {
  const raw = (to - from) / Math.max(1, wanted);
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const unit = [1, 2, 5, 10].find((u) => u * power >= raw)! * power;
  const found: number[] = [];
  for (let k = Math.ceil(from / unit); k * unit <= to + unit * 1e-9; k++)
    found.push(k === 0 ? 0 : Number((k * unit).toPrecision(12)));
  return found;
}

/** A button with a name for those who do not see it. */
export function button(label: string, face: string | Node, press: () => void): HTMLButtonElement {
  return h("button", { type: "button", "aria-label": label, title: label, click: press }, face);
}

export function icon(d: string): SVGElement {
  const size = { viewBox: "0 0 16 16", width: 16, height: 16 };
  return s("svg", { class: "icon", ...size, "aria-hidden": "true" }, s("path", { d }));
}

/** Write the words, if others are there. */
export function say(element: Element, words: string): void {
  if (element.textContent !== words) element.textContent = words;
}

/** Give an element this content and touch only what differs, so that the browser lays out and paints no more than that.
 * Focus stays where it is. Not for content with listeners: those of the old elements would stay. */
export function become(home: Element, wanted: Node[]): void {
  wanted.forEach((node, i) => {
    const old = home.childNodes[i];
    if (!old) home.append(node);
    else if (!renewed(old, node)) old.replaceWith(node);
  });
  while (home.childNodes.length > wanted.length) home.lastChild!.remove();
}

/** Whether a node could be made equal to another of its kind. */
function renewed(old: Node, wanted: Node): boolean {
  if (old.nodeName !== wanted.nodeName) return false;
  if (!(old instanceof Element) || !(wanted instanceof Element)) {
    if (old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
    return true;
  }
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  become(old, [...wanted.childNodes]);
  return true;
}

/** Ask in a dialog of this title; the value it was closed with. */
export async function asked(home: HTMLElement, title: Child, ...content: Child[]): Promise<string> {
  const head = h("h2", { id: "lab-dialog" }, title);
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": head.id }, h("form", { method: "dialog" }, head, ...content));
  home.append(dialog);
  dialog.showModal();
  await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
  dialog.remove();
  return dialog.returnValue;
}
