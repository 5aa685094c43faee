/** What one can open: an example, a challenge, a state somebody shared, a table, a certificate. */
import { Data } from "./data";
import { count, h } from "./dom";
import type { Examples } from "./examples";
import { figureIn } from "./figure";
import type { Challenge } from "./guide/challenges";
import type { Guide } from "./guide/guide";
import { settingsOf, type Begin, type Host } from "./host";
import { unpack } from "./pack";
import { fromFragment, type Shared } from "./share";
import { isSheet, readSheet } from "./sheet";
import { chooseTarget, readTable, type Table } from "./table";
import { readTableFile } from "./tablefile";
import { soundSettings, USUAL, type Settings } from "./types";
import { verifyDialog } from "./verify";

export interface Opened {
  /** What is on the stage is about to go. */
  remember(): void;
  /** Put points on the stage, at correction k of the run or at its end. */
  show(data: Data, settings: Settings, k?: number | "end"): void;
  /** The state in the page's address. */
  read(): Shared | null;
  /** Points of one's own, while an example was looked at. */
  backToOwn(): boolean;
  refuse(why: unknown): void;
}

export class Opening {
  /** Where dialogs are shown. */
  home!: HTMLElement;

  constructor(
    private readonly host: Host,
    private readonly examples: Examples,
    private readonly guide: () => Guide,
    private readonly on: Opened,
  ) {}

  /** A button for files, and the field behind it. */
  picker(): HTMLElement[] {
    const accept = ".csv,.tsv,.txt,.xlsx,.json,text/csv,application/json";
    const field = h("input", { type: "file", accept, multiple: true, class: "spoken", tabindex: -1 });
    field.setAttribute("aria-label", "A table in a CSV file, or a certificate and its table");
    field.addEventListener("change", () => {
      const chosen = [...(field.files ?? [])];
      field.value = "";
      void this.files(chosen);
    });
    const title = "Open a table of your own, or check a certificate with its table; both can also be dropped here";
    return [h("button", { type: "button", title, click: () => field.click() }, "Open…"), field];
  }

  /** What the page begins with. */
  async begin(begin: Begin): Promise<void> {
    this.examples.fill(begin.presets);
    const shared = this.on.read() ?? fromFragment(begin.state ?? "");
    if (shared) this.restore(shared);
    else if (begin.table) await this.table(readTable(begin.table));
    else if (begin.message) this.message(begin.message, begin);
    else {
      this.preset(0);
      if (this.host.kind !== "notebook" && !figureIn(location.hash)) this.guide().welcome(this.home);
    }
  }

  /** The first example, for the film. */
  first(): void {
    if (this.examples.now.example !== "0") this.on.remember();
    this.guide().quests.end();
    this.preset(0);
  }

  /** The points of a challenge; those that were there before can be had by Undo. */
  challenge({ title, X, y }: Challenge): void {
    this.on.remember();
    this.on.show(Data.of(["x1", "x2"], ["−1", "+1"], X.flat(), y, "challenge"), { ...USUAL });
    this.examples.name({ example: "own", look: `Points of the challenge “${title}”.`, origin: title });
    if (this.home.getBoundingClientRect().top < 0) this.home.scrollIntoView(); // the list is below the plane
  }

  /** An example, or back to the points of one's own. */
  choose(value: string): void {
    this.on.remember();
    if (value === "own" && this.on.backToOwn()) return;
    this.guide().quests.end(); // an example would be no solution of one's own
    this.preset(Number(value));
  }

  /** An address was put into a page that is open already. */
  address(): void {
    if (location.hash.startsWith("#key=")) return location.reload();
    const shared = this.on.read();
    if (shared) this.restore(shared);
    else if (!location.hash.includes("=")) this.preset(0); // back to where the page began
  }

  /** A state that somebody shared. */
  shared(shared: Shared): void {
    this.on.remember();
    this.restore(shared);
  }

  private restore({ data, settings, k, origin, example, edited }: Shared): void {
    this.on.show(data, settings, k);
    this.examples.restore(origin, example, data);
    if (example) this.examples.changed(settings);
    else if (!data.plain && !edited) this.nameTable(data);
  }

  /** A table, a certificate, or both. */
  async files(files: File[]): Promise<void> {
    const isCertificate = (file: File): boolean => file.name.toLowerCase().endsWith(".json");
    const proof = files.find(isCertificate),
      table = files.find((file) => !isCertificate(file));
    try {
      const content = await table?.arrayBuffer();
      if (proof) return await this.verify(new Uint8Array(await proof.arrayBuffer()), content);
      const read = isSheet(table?.name ?? "") ? readSheet : readTableFile;
      if (content) await this.table(await read(content, table!.name));
    } catch (why) {
      this.on.refuse(why);
    }
  }

  /** Say what a table is, and which of its classes is +1. */
  nameTable({ title, n, names, told, whole }: Data): void {
    const rows = count(whole?.n ?? n, "row");
    const sampled = whole ? ` ${count(n, "row")} of them, chosen evenly, are drawn and learned from; the verdict is about all.` : "";
    const look = `${title}: ${rows}, ${count(names.length, "feature")}, ${told}.${sampled}`;
    this.examples.name({ example: "own", look, origin: title });
  }

  private preset(i: number): void {
    const one = this.examples.preset(i);
    if (!one) return;
    this.on.show(one.data, one.settings);
    this.examples.name(one.named);
  }

  private message(message: ArrayBuffer, begin: Begin): void {
    const { columns } = unpack(message);
    const data = Data.of(begin.names, begin.classes ?? ["−1", "+1"], columns["X"], columns["y"], "given");
    if (begin.names.length !== 2) data.view = { kind: "all" };
    this.on.show(data, soundSettings(settingsOf(message)));
  }

  private async verify(proof: Uint8Array, table: ArrayBuffer | undefined): Promise<void> {
    const data = await verifyDialog(this.home, proof, table ? new Uint8Array(table) : null);
    if (!data) return;
    this.on.remember();
    this.on.show(data, { ...USUAL });
  }

  private async table(table: Table): Promise<void> {
    const data = await chooseTarget(table, this.home);
    if (!data) return;
    this.on.remember();
    this.on.show(data, { ...USUAL });
    this.nameTable(data);
  }
}
