/** Where the lab lives: on a server, in a notebook, in a file. Each answers the same questions, or has no answer. */
import { ownFile } from "./onefile";
import { unpack } from "./pack";
import { Refusal } from "./refusal";
import type { Preset, Settings } from "./types";

export interface Begin {
  presets: Preset[];
  /** A table to open with, packed. */
  table: ArrayBuffer | null;
  /** Points to open with, as a message to `trace`. */
  message: ArrayBuffer | null;
  names: string[];
  classes: [string, string] | null;
  /** A state to open with, as Share writes it. */
  state: string | null;
  /** Whether a report can be written here. */
  report: boolean;
  /** Where the book's pages are, from this page; null without a book. */
  book: string | null;
}

export interface Host {
  kind: "server" | "notebook" | "file";
  begin(): Promise<Begin>;
  trace: ((message: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>) | null;
  report: ((message: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>) | null;
  /** A worker that runs this very program. */
  worker(): Worker;
  /** The lab in one file that opens with this state. */
  oneFile(state: string): Promise<Blob>;
}

// ------------------------------------------------------------------------------------------------------------- server

const STORE = "rosenblatt-lab-key";

/** The key comes in the address once; it is kept for this site and taken out of the address, which people share. */
function takeKey(): string {
  const found = /^#key=([\w-]+)&?/.exec(location.hash);
  if (found) {
    localStorage.setItem(STORE, found[1]);
    history.replaceState(null, "", location.pathname + "#" + location.hash.slice(found[0].length));
  }
  return localStorage.getItem(STORE) ?? "";
}

export function server(): Host {
  const key = takeKey();
  const ask = async (path: string, body: BodyInit): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(path, { method: "POST", body, headers: { "x-rosenblatt-key": key } });
    } catch {
      throw new Refusal(
        "The lab does not answer: it may have been ended in its terminal. Start it again with “rosenblatt lab”.",
      );
    }
    if (!response.ok) throw new Refusal(await response.text());
    return response;
  };
  return {
    kind: "server",
    async begin() {
      const { presets, table, report } = (await (await ask("/begin", "")).json()) as {
        presets: Preset[];
        table: boolean;
        report: boolean;
      };
      return {
        presets,
        report,
        table: table ? await (await ask("/start", "")).arrayBuffer() : null,
        message: null,
        names: [],
        classes: null,
        state: null,
        book: null,
      };
    },
    trace: async (message) => (await ask("/trace", message)).arrayBuffer(),
    worker: () => new Worker("/lab.js", { type: "module" }),
    report: async (message) => (await ask("/report", message)).arrayBuffer(),
    oneFile: async (state) => (await ask("/file", state)).blob(),
  };
}

// ----------------------------------------------------------------------------------------------------------- notebook

/** What anywidget hands over. */
export interface Model {
  get(name: string): unknown;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBufferView[]): void;
  on(event: "msg:custom", callback: (content: { id: number; refusal?: string }, buffers: DataView[]) => void): void;
  off(event: "msg:custom"): void;
}

export function notebook(model: Model): Host {
  const waiting = new Map<number, { done: (buffer: ArrayBuffer) => void; refused: (why: Refusal) => void }>();
  let last = 0;
  model.on("msg:custom", (content, buffers) => {
    const one = waiting.get(content.id);
    waiting.delete(content.id);
    if (content.refusal !== undefined) one?.refused(new Refusal(content.refusal));
    else one?.done(copied(buffers[0]));
  });
  const ask = (to: string, bytes: Uint8Array): Promise<ArrayBuffer> =>
    new Promise((done, refused) => {
      waiting.set(++last, { done, refused });
      model.send({ to, id: last }, undefined, [bytes]);
    });
  const facts = model.get("facts") as {
    presets: Preset[];
    names: string[];
    classes: [string, string];
    report: boolean;
  };
  return {
    kind: "notebook",
    begin: async () => ({
      ...facts,
      table: null,
      message: copied(model.get("message") as DataView),
      state: null,
      book: null,
    }),
    trace: (message) => ask("trace", message),
    worker: () => workerOf(String(model.get("_esm"))),
    report: (message) => ask("report", message),
    oneFile: async (state) =>
      new Blob([await ask("file", new TextEncoder().encode(state))], { type: "text/html" }),
  };
}

/** Columns must begin on a multiple of eight bytes; a view into somebody's message may not. */
function copied(view: DataView): ArrayBuffer {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice().buffer as ArrayBuffer;
}

// --------------------------------------------------------------------------------------------------------------- file

export function file(): Host {
  const text = document.querySelector('script[type="application/json"]')!.textContent!;
  const content = JSON.parse(text) as {
    presets: Preset[];
    message?: string;
    table?: string;
    state?: string;
    book?: string;
    names?: string[];
    classes?: [string, string];
  };
  const decoded = (base64: string | undefined): ArrayBuffer | null =>
    base64 === undefined ? null : (Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer as ArrayBuffer);
  return {
    kind: "file",
    begin: async () => ({
      presets: content.presets,
      report: false,
      names: content.names ?? [],
      classes: content.classes ?? null,
      state: content.state ?? null,
      book: content.book ?? null,
      table: decoded(content.table),
      message: decoded(content.message),
    }),
    trace: null,
    worker: () => workerOf(document.querySelector('script[type="module"]')!.textContent!),
    report: null,
    oneFile: async (state) => ownFile(state),
  };
}

/** A worker of a module's text, without its exports: a page from a folder may load no module into a worker. */
function workerOf(module: string): Worker {
  const code = module.replace(/export\s*\{[^}]*\};?\s*$/, "");
  return new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
}

/** The settings that a message was made with. */
export function settingsOf(message: ArrayBuffer): Partial<Settings> {
  return (unpack(message).header["settings"] ?? {}) as Partial<Settings>;
}
