/** What one can keep of the lab: an address, files, the lab itself. */
import type { Asking } from "./asking";
import type { Data } from "./data";
import type { Host } from "./host";
import { menu, type Item } from "./layout";
import { certificate, type Names } from "./proof/certificate";
import { BEYOND_PAGE, proofOf } from "./proof/answer";
import { Refusal } from "./refusal";
import { FIRST, placeOf } from "./rooms/address";
import type { Plane } from "./plane";
import type { Replay } from "./replay";
import { correctionsCsv, download, film, learnedCsv, png, pointsCsv, svg } from "./save";
import { fromFragment, shareDialog, toFragment, tooLong, type Shared } from "./share";
import type { Settings } from "./types";

/** The lab at this moment. */
export interface Now {
  data: Data;
  settings: Settings;
  replay: Replay | null;
  k: number | "end";
  origin: string;
  example: boolean;
  edited: boolean;
  names: Names;
}

export interface Told {
  say(words: string): void;
  refuse(why: unknown): void;
  open(shared: Shared): void;
  /** Show correction k. */
  go(k: number): void;
}

const MOST_SAVED = 5_000_000; // numbers
const FILMED = 60; // corrections

export class Keeping {
  constructor(
    private readonly host: Host,
    private readonly asking: Asking,
    private readonly plane: Plane,
    private readonly now: () => Now,
    private readonly told: Told,
  ) {}

  /** The menu; a report can be written where Python is. */
  menu(report: boolean, home: HTMLElement): HTMLElement {
    const items: Item[] = [
      { label: "Picture (PNG)", act: () => void png(this.plane).then((blob) => download("perceptron.png", blob)) },
      { label: "Picture (SVG)", act: () => download("perceptron.svg", svg(this.plane)) },
      { label: "Film of the run (WebM)", act: () => void this.saveFilm() },
      { label: "Points (CSV)", act: () => download("points.csv", pointsCsv(this.now().data)) },
      { label: "Corrections (CSV)", act: () => this.saveCorrections() },
      { label: "Certificate (JSON) and its table (CSV)", act: () => this.saveCertificate() },
      { label: "This lab (one HTML file)", act: () => void this.saveLab() },
    ];
    if (report) items.unshift({ label: "Report (HTML)", act: () => void this.saveReport() });
    return menu("Save", items, home);
  }

  async share(home: HTMLElement): Promise<void> {
    const state = this.state();
    const code = tooLong(state) ? null : state;
    const page = this.host.kind === "file" && location.protocol !== "file:" ? location.href.split("#")[0] : null;
    const given = await shareDialog(home, {
      what: "Points, settings and the correction shown are all",
      code,
      page,
      copied: () => this.told.say("Copied."),
      save: () => void this.saveLab(),
    });
    if (given === null) return;
    const address = given.includes("#") ? given : `#${given}`;
    const shared = fromFragment(address);
    if (placeOf(address).room !== FIRST && this.host.kind !== "notebook") location.hash = address.slice(address.indexOf("#"));
    else if (shared) this.told.open(shared);
    else this.told.refuse(new Refusal("That is not the address of a state of the lab."));
  }

  /** Points, settings and the correction shown, as an address has them. */
  private state(): string {
    return toFragment(this.now());
  }

  private async saveLab(): Promise<void> {
    const { data } = this.now();
    try {
      if ((data.whole?.X.length ?? 0) > MOST_SAVED) throw new Refusal(`${data.title} is too large for a file of the lab: pass on the table itself.`);
      download("lab.html", await this.host.oneFile(this.state()));
    } catch (why) {
      this.told.refuse(why);
    }
  }

  /** What proves the verdict, and the points it is about, as the learner has them. */
  private saveCertificate(): void {
    const learned = this.asking.whole ?? this.asking.learned; // what the verdict is about
    const { data, names, replay } = this.now();
    const proof = learned.n > 0 && replay ? proofOf(learned, replay.at(replay.length)) : null;
    if (!proof) {
      const why = learned.n > 0 ? `No certificate: ${BEYOND_PAGE}` : "There is nothing to prove: add points first.";
      return this.told.refuse(new Refusal(why));
    }
    const content = JSON.stringify(certificate(proof, learned, names), null, 1);
    download("certificate.json", new Blob([content], { type: "application/json" }));
    download("certified.csv", learnedCsv(names.features, learned, data));
  }

  private saveCorrections(): void {
    const { replay, names } = this.now();
    const { result } = this.asking;
    if (replay && result) download("corrections.csv", correctionsCsv(result, replay, names.features));
  }

  /** Each correction of a short run, or as many of a long one as are seen in a quarter of a minute. */
  private async saveFilm(): Promise<void> {
    const length = this.now().replay?.length ?? 0;
    const few = Math.min(length, FILMED);
    if (typeof MediaRecorder === "undefined") return this.told.refuse(new Refusal("This browser records no films."));
    this.told.say("Filming …");
    const stops = Array.from({ length: few + 1 }, (_, i) => Math.round((i * length) / Math.max(1, few)));
    download("perceptron.webm", await film(this.plane, stops, (k) => this.told.go(k)));
  }

  private async saveReport(): Promise<void> {
    const { data, settings } = this.now();
    const names = data.columns.map((c) => data.names[c]);
    const message = this.asking.message({ names, classes: data.classes, settings });
    try {
      this.told.say("Writing the report …");
      download("report.html", new Blob([await this.host.report!(message)], { type: "text/html" }));
    } catch (why) {
      this.told.refuse(why);
    }
  }
}
