/** A certificate somebody made, and its table: checked here, and said in a dialog. */
import { check, refuseNewer, type Given } from "./checker/check";
import { NameTwice, NotJson, parseJson, type Json, type JsonObject } from "./checker/json";
import { NotRead, OtherData, Refused } from "./checker/reading";
import { rebuild } from "./checker/rebuild";
import { Data } from "./data";
import { asked, h } from "./dom";

const LONGEST_FILE = 1 << 28; // bytes of a certificate

export interface Checked {
  /** What was found; "not read" is for other checkers. */
  answer: "holds" | "refused" | "other data" | "not read";
  words: string;
  read: string;
  given: Given | null;
}

/** What `python checker.py CERTIFICATE DATA.csv` would say. */
export function checkFiles(certificate: Uint8Array, table: Uint8Array): Checked {
  try {
    const content = parseCertificate(certificate);
    refuseNewer(content);
    const given = rebuild(content, table);
    return { answer: "holds", words: check(content, given), read: given.told, given };
  } catch (why) {
    if (why instanceof Refused) return { answer: "refused", words: why.message, read: "", given: null };
    if (why instanceof OtherData) return { answer: "other data", words: why.message, read: "", given: null };
    if (why instanceof NotRead) return { answer: "not read", words: why.message, read: "", given: null };
    throw why;
  }
}

export function parseCertificate(file: Uint8Array): Json {
  if (file.length > LONGEST_FILE) throw new Refused("the file is too long for a certificate");
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(file));
  } catch (why) {
    if (why instanceof NameTwice) throw new Refused("the file has a name twice");
    if (why instanceof NotJson || why instanceof TypeError) throw new Refused("the file is not JSON");
    throw why;
  }
}

const TITLES = {
  holds: "The certificate holds",
  refused: "The certificate does not hold",
  "other data": "The certificate is not about this table",
  "not read": "This page does not read the certificate",
};

/** Say what was found, and ask for the table where it is missing; the points, if the person wants to see them. */
export async function verifyDialog(
  home: HTMLElement,
  certificate: Uint8Array,
  table: Uint8Array | null,
): Promise<Data | null> {
  let checked = table && checkFiles(certificate, table);
  const title = h("span");
  const words = h("p", { "aria-live": "polite" });
  const read = h("p", { class: "muted" });
  const pick = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", "aria-label": "The certificate’s table" });
  const show = h("button", { value: "show", class: "primary" }, "Show the points");
  const draw = (): void => {
    title.textContent = checked ? TITLES[checked.answer] : "A certificate";
    const ask = "Now choose the table (CSV) that it is about. Nothing in the file is believed before it is checked.";
    words.textContent = checked ? `${checked.words}.` : ask;
    read.textContent = checked?.read ? `Read: ${checked.read}.` : "";
    pick.hidden = checked?.answer === "holds";
    show.hidden = checked?.answer !== "holds";
  };
  pick.addEventListener("change", () => {
    const chosen = pick.files?.[0];
    void chosen?.arrayBuffer().then((content) => {
      checked = checkFiles(certificate, new Uint8Array(content));
      draw();
    });
  });
  draw();
  const buttons = h("div", { class: "dialog-buttons" }, h("button", { value: "" }, "Close"), show);
  const closed = await asked(home, title, words, read, pick, buttons);
  return closed === "show" && checked?.given ? dataOf(parseCertificate(certificate), checked.given) : null;
}

function dataOf(content: Json, { X, y }: Given): Data {
  const texts = (name: string): string[] => ((content as JsonObject).get(name) as Json[]).map(String);
  const features = texts("features");
  const names = X[0].map((_, j) => features[j] ?? `x${j + 1}`);
  const [negative = "−1", positive = "+1"] = texts("classes");
  const data = new Data(names, [negative || "−1", positive], X.map((x) => [...x]), [...y], "certificate");
  if (names.length !== 2) data.view = { kind: "all" };
  return data;
}
