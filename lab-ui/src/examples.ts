/** Which example is on the stage, and what is said of it: a caption that is true of the points and settings at hand. */
import { Data } from "./data";
import { h } from "./dom";
import { USUAL, type Preset, type Settings } from "./types";

/** What undo must bring back. */
export interface Named {
  /** The number of the example chosen, or "own"; "none" before there is any. */
  example: string;
  look: string;
  /** What the points were made from. */
  origin: string;
}

export class Examples {
  readonly select = h("select", { "aria-label": "Example" });
  readonly look = h("p", { class: "look" });
  /** Whether there are points of one's own to go back to. */
  own = false;
  private presets: Preset[] = [];
  private example = "none";
  private origin = "";

  constructor(choose: (value: string) => void) {
    this.select.addEventListener("change", () => choose(this.select.value));
  }

  fill(presets: Preset[]): void {
    this.presets = presets;
    const names = presets.map((one, i) => h("option", { value: i }, one.name));
    this.select.replaceChildren(...names, h("option", { value: "own", hidden: true }, "My own points"));
  }

  get now(): Named {
    return { example: this.example, origin: this.origin, look: this.look.textContent ?? "" };
  }

  /** An example's points and settings; null where there is no such example. */
  preset(i: number): { data: Data; settings: Settings; named: Named } | null {
    const one = this.presets[i];
    if (!one) return null;
    const data = Data.of(one.names, ["−1", "+1"], one.X, one.y, "preset");
    if (one.names.length > 2) {
      data.view = { kind: "all" };
      data.scaled = true;
    }
    const named = { example: String(i), look: one.look, origin: one.name };
    return { data, settings: { ...USUAL, ...one.settings }, named };
  }

  /** Name points that an address has: as the example they are, or as somebody's own. */
  restore(origin: string, example: boolean, data: Data): void {
    const i = this.presets.findIndex((one) => one.name === origin);
    const one = this.presets[i];
    const same = example && one && [...data.rows.flat()].join() === one.X.join() && data.y.join() === one.y.join();
    if (same) this.name({ example: String(i), look: one.look, origin });
    else this.name({ example: "own", look: told(origin), origin });
  }

  name({ example, look, origin }: Named): void {
    this.example = example;
    this.origin = origin;
    const mine = this.select.querySelector<HTMLOptionElement>("[value=own]");
    if (mine) mine.hidden = !this.own && example !== "own";
    this.select.value = example;
    this.look.textContent = look;
    this.look.style.minHeight = "";
  }

  /** The points were changed: they are somebody's own now. */
  edited(): void {
    const look = told(this.origin);
    if (this.example !== "own" || this.look.textContent !== look) this.caption("own", look);
  }

  /** An example’s caption may be false with other settings: then another one is shown. */
  changed(settings: Settings): void {
    const one = this.presets[Number(this.example)];
    if (!one) return;
    const told = ({ rivals, limit, seed, ...rest }: Settings): string => JSON.stringify(rest);
    const usual = told(settings) === told({ ...USUAL, ...one.settings });
    this.caption(this.example, usual ? one.look : `“${one.name}”, with other settings.`);
  }

  /** Another caption for the same points; the plane stays under the finger. */
  private caption(example: string, look: string): void {
    const { height } = this.look.getBoundingClientRect();
    this.name({ example, look, origin: this.origin });
    this.look.style.minHeight = `${height}px`;
  }
}

/** Whose points these are. */
export function told(origin: string): string {
  return origin ? `Your own points (from “${origin}”).` : "Your own points.";
}
