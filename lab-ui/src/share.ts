/** A state of the lab in the fragment of an address: points to the last bit, and settings other than the usual ones. */
import { Data } from "./data";
import { asked, h } from "./dom";
import { pack, unpack } from "./pack";
import { FARTHEST, soundSettings, USUAL, type Settings } from "./types";

const MOST = 8000; // letters: longer addresses are cut by mail programs

export interface Shared {
  data: Data;
  settings: Settings;
  k: number | "end";
  /** What the points were made from, and whether they are still that example. */
  origin: string;
  example: boolean;
  /** Whether they were changed since. */
  edited: boolean;
}

/** Whether a state is too long for an address. */
export function tooLong(code: string): boolean {
  return code.length > MOST;
}

export function toFragment({ data, settings, k, origin, example, edited }: Shared): string {
  const chosen = Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(USUAL[name as keyof Settings]),
    ),
  );
  const { names, classes, view, scaled, title, whole } = data;
  const all = data.allRows();
  const several = data.several && { ...data.several, ...(whole && { codes: Array.from(whole.codes) }) };
  const more = { ...(scaled && { scale: data.scale }), ...(several && { several }), ...(k !== "end" && { k }), ...(data.table && { table: true }), ...(all && { whole: true }) };
  const header = { names, classes, view, scaled, settings: chosen, title, origin, example, edited, ...more };
  const bytes = pack(header, all ? { X: all.X, y: all.y } : { X: Float64Array.from(data.rows.flat()), y: Int8Array.from(data.y) });
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return "s=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The state in an address or its fragment; null where there is none, or a damaged one. */
export function fromFragment(text: string): Shared | null {
  const found = /[#&]?s=([\w-]+)/.exec(text.slice(text.indexOf("#") + 1));
  if (!found) return null;
  try {
    const bytes = Uint8Array.from(atob(found[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const { header, columns } = unpack(bytes.buffer as ArrayBuffer);
    const names = (header["names"] as unknown[]).map(String);
    const classes = (header["classes"] as unknown[]).map(String) as [string, string];
    const X = columns["X"],
      y = columns["y"];
    const sound =
      names.length > 0 &&
      classes.length === 2 &&
      X.length === y.length * names.length &&
      X.every((v) => Math.abs(v) <= FARTHEST) &&
      y.every((v) => Math.abs(v) === 1);
    if (!sound) return null;
    const title = short(header["title"]) || "shared";
    const several = severalOf(header["several"], y.length);
    let data: Data;
    if (header["whole"] === true) {
      const { levels, codes, positive } = several ?? { levels: classes, codes: Array.from(y, (one) => (one > 0 ? 1 : 0)), positive: 1 };
      data = Data.table(names, levels, X as Float64Array, codes, positive, title);
    } else {
      data = Data.of(names, classes, X, y, title);
      data.several = several;
    }
    const view = header["view"] as Data["view"];
    const known = (j: number): boolean => Number.isInteger(j) && j >= 0 && j < names.length;
    if (view.kind === "all" || (view.kind === "pair" && known(view.i) && known(view.j))) data.view = view;
    data.scaled = header["scaled"] === true;
    data.table = header["table"] === true || data.scaled;
    if (data.scaled) data.scale = header["scale"] as Data["scale"];
    const k = header["k"] === undefined ? "end" : Number(header["k"]) || 0;
    const origin = short(header["origin"]);
    const [example, edited] = [header["example"] === true, header["edited"] === true];
    return { data, settings: soundSettings(header["settings"]), k, origin, example, edited };
  } catch {
    return null;
  }
}

function short(text: unknown): string {
  return typeof text === "string" ? text.slice(0, 80) : "";
}

/** Three or more classes, where the address has them for every row. */
function severalOf(given: unknown, n: number): Data["several"] {
  const { levels, codes, positive } = (given ?? {}) as NonNullable<Data["several"]>;
  if (!Array.isArray(levels) || !Array.isArray(codes) || codes.length !== n) return null;
  const known = (code: unknown): boolean => Number.isInteger(code) && Number(code) >= -1 && Number(code) < levels.length;
  return codes.every(known) && known(positive) ? { levels: levels.map(String), codes, positive } : null;
}

export interface Sharing {
  /** What the address has, as the beginning of a sentence. */
  what: string;
  /** This state, for an address; null where it is too long for one. */
  code: string | null;
  /** The page's own address, where others can open it. */
  page: string | null;
  copied: () => void;
  /** Save the lab in one file. */
  save: () => void;
}

const WORDS = {
  address: "in the address, after the #. It opens in any browser.",
  fragment:
    "Nobody else can open this page’s address. Save the lab as one file and send that: it opens as it is now. " +
    "Or append this text to the address of a lab that others can open:",
  long: "These points are too many for an address. Save the lab as one file, which has them, and send that.",
};

/** Show how this state can be shared, and take one that somebody else has shared; null if none is taken. */
export async function shareDialog(home: HTMLElement, sharing: Sharing): Promise<string | null> {
  const { what, code, page, copied, save } = sharing;
  const name = page ? "Address of this state" : "This state, to append to an address";
  const field = h("textarea", { rows: 4, readonly: true, "aria-label": name });
  field.value = code === null ? "" : `${page ?? ""}#${code}`;
  const other = h("input", {
    type: "text",
    "aria-label": "An address or code somebody shared",
    placeholder: "Paste what somebody shared",
  });
  const copy = (): void => void navigator.clipboard?.writeText(field.value).then(copied);
  const words = code === null ? WORDS.long : page ? `${what} ${WORDS.address}` : WORDS.fragment;
  const closed = asked(
    home,
    "Share this state",
    h("p", { class: "muted" }, words),
    code !== null && field,
    h("div", { class: "paste" }, other, h("button", { value: "open" }, "Open")),
    h(
      "div",
      { class: "dialog-buttons" },
      h("button", { value: "" }, "Close"),
      h("button", { type: "button", class: page && code !== null ? "" : "primary", click: save }, "Save as one file"),
      code !== null && h("button", { type: "button", class: page ? "primary" : "", click: copy }, "Copy"),
    ),
  );
  field.select();
  field.scrollTop = 0;
  return (await closed) === "open" ? other.value : null;
}
