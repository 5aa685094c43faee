/** What the lab is about at a moment: the points, the settings, the run on them, and where it is seen from. */
import { Data } from "./data";
import { MAPS } from "./features";
import { Projection } from "./projection";
import type { Names } from "./proof/certificate";
import type { Replay } from "./replay";
import { USUAL, type Settings } from "./types";

export class State {
  data = emptyData();
  settings: Settings = { ...USUAL };
  replay: Replay | null = null;
  projection: Projection | null = null;

  put(data: Data, settings: Settings): void {
    this.data = data;
    this.settings = settings;
    this.forgetRun();
  }

  forgetRun(): void {
    this.replay = this.projection = null;
  }

  /** Principal directions take a while; they are the same as long as the points are. */
  project(): void {
    const points = this.data.points();
    if (this.data.movable) this.projection = null;
    else if (this.projection?.points !== points) this.projection = new Projection(points);
  }

  /** What the learner calls its weights. */
  names(): string[] {
    const added = this.data.movable ? Object.keys(MAPS[this.settings.phi].added) : [];
    return [...this.data.columns.map((c) => this.data.names[c]), ...added];
  }

  /** Features and classes as files have them. */
  written(): Names {
    return { features: this.names(), classes: [this.data.written(-1), this.data.written(1)] };
  }
}

export function emptyData(): Data {
  return Data.of(["x1", "x2"], ["−1", "+1"], [], [], "empty");
}
