/** What can be chosen about the learner and the view. */
import type { Data } from "./data";
import { h } from "./dom";
import { MAPS } from "./features";
import { RECIPES, RIVALS, type Recipe, type Settings } from "./types";

const LEARNERS = {
  perceptron: "Perceptron",
  "passive-aggressive": "Passive-aggressive",
  adaline: "LMS (Adaline)",
  logistic: "Logistic regression",
};
const RECIPE_NAMES: Record<Recipe, string> = {
  rosenblatt62: "Rosenblatt 1962",
  cyclic: "Cyclic",
  stein: "Stein and Lettmann",
  unit: "Unit vectors",
  signum: "Signum",
  own: "My own",
};
const RECIPE_WORDS: Record<Recipe, string> = {
  rosenblatt62: "Starts at w = 0, shows the points in turn; a tie is a mistake.",
  cyclic: "Starts anywhere, shows the points in turn; a tie is right.",
  stein: "Starts anywhere, draws a point each time; a tie answers class 1.",
  unit: "Starts anywhere, draws a point each time, learns from z/‖z‖.",
  signum: "Starts at w = 0, in turn; w += η·(d − y)·x, so the step is 2η.",
  own: "Choose for yourself:",
};
const RULES = {
  perceptron: "if y·s ≤ 0:  w ← w + η·y·(x, 1)",
  "passive-aggressive": "if y·s < 1:  w ← w + min(C, (1 − y·s)/‖z‖²)·y·(x, 1)",
  adaline: "always:  w ← w + η·(y − s)·(x, 1)",
  logistic: "always:  w ← w + η·y·σ(−y·s)·(x, 1)",
};

/** How a table is looked at. */
export interface Look {
  view?: Data["view"];
  scaled?: boolean;
  /** Which of three or more classes is +1. */
  positive?: number;
}

export class Controls {
  readonly learner: HTMLElement;
  readonly view: HTMLElement;
  private serial = 0;
  private shown = "";

  constructor(
    private readonly settings: () => Settings,
    private readonly data: () => Data,
    private readonly change: (part: Partial<Settings>) => void,
    private readonly look: (part: Look) => void,
  ) {
    this.learner = h("div", { class: "fields" });
    this.view = h("div", { class: "fields" });
  }

  /** Make the fields anew, if anything they show has changed; the field that is typed in keeps the focus. */
  update(): void {
    if (this.told() === this.shown) return;
    const active = (this.learner.getRootNode() as Document | ShadowRoot).activeElement;
    const mine = [this.learner, this.view].find((box) => box.contains(active));
    const name = mine && active!.getAttribute("data-name");
    if (mine) (active as HTMLElement).blur(); // a number that was typed is taken before its field goes
    if (this.told() !== this.shown) this.remake();
    if (name) mine.querySelector<HTMLElement>(`[data-name="${name}"]`)?.focus();
  }

  /** All that the fields show. */
  private told(): string {
    const { names, view, scaled, movable, title, several } = this.data();
    const classes = several && [several.levels, several.positive];
    return JSON.stringify([this.settings(), names, view, scaled, movable, title, classes]);
  }

  private remake(): void {
    this.shown = this.told();
    this.serial = 0;
    this.learner.replaceChildren(...this.learnerFields());
    this.serial = 0;
    this.view.replaceChildren(...this.viewFields());
  }

  private learnerFields(): Node[] {
    const now = this.settings();
    const perceptron = now.learner === "perceptron";
    const own = !perceptron || now.recipe === "own";
    const effective = own ? now : { ...now, ...RECIPES[now.recipe as Exclude<Recipe, "own">] };
    const drawn = effective.order !== "cyclic" || effective.start === "random";
    const fields: Node[] = [
      this.select("Learner", "learner", LEARNERS, now.learner),
      h("p", { class: "rule" }, RULES[now.learner]),
    ];
    if (perceptron)
      fields.push(
        this.select("Recipe", "recipe", RECIPE_NAMES, now.recipe),
        h("p", { class: "muted small" }, RECIPE_WORDS[now.recipe]),
      );
    if (own) {
      fields.push(
        this.select(
          "Order",
          "order",
          { cyclic: "in turn", shuffled: "shuffled each pass", random: "drawn, with replacement" },
          now.order,
        ),
      );
      fields.push(this.select("Start", "start", { zeros: "w = 0", random: "random weights" }, now.start));
    }
    if (own && perceptron) {
      fields.push(
        this.select(
          "A tie, s = 0, is",
          "tie",
          { mistake: "a mistake", correct: "right", positive: "class 1" },
          now.tie,
        ),
      );
      fields.push(
        this.check("Learn from unit vectors z/‖z‖", now.normalize, (normalize) => this.change({ normalize })),
      );
    }
    fields.push(this.stepField(now));
    if (drawn) fields.push(this.seedField(now));
    if (this.data().movable) {
      const maps = Object.fromEntries(Object.entries(MAPS).map(([name, map]) => [name, map.title]));
      fields.push(this.select("Features Φ(x)", "phi", maps, now.phi));
    }
    return [...fields, ...this.runFields(now)];
  }

  /** When to stop, and which lines to draw beside. */
  private runFields(now: Settings): Node[] {
    const fields: Node[] = [];
    const limits = Object.fromEntries(
      [100, 1000, 10_000, 100_000, 200_000].map((v) => [v, `${v.toLocaleString("en-US")} corrections`]),
    );
    fields.push(
      this.field(
        "Stop after",
        this.choice("limit", limits, String(now.limit), (value) => this.change({ limit: Number(value) })),
      ),
    );
    const boxes = RIVALS.map((name) =>
      this.check(
        name,
        now.rivals.includes(name),
        (on) => this.change({ rivals: RIVALS.filter((r) => (r === name ? on : now.rivals.includes(r))) }),
        `rival-${RIVALS.indexOf(name)}`,
      ),
    );
    fields.push(h("fieldset", {}, h("legend", {}, "Lines to compare with"), ...boxes));
    return fields;
  }

  private stepField(now: Settings): HTMLElement {
    const aggressive = now.learner === "passive-aggressive";
    const automatic = now.learner === "adaline" || now.learner === "logistic";
    const input = h("input", {
      type: "number",
      min: "0",
      step: "any",
      value: now.eta ?? "",
      placeholder: automatic ? "automatic" : "1",
      "data-name": "eta",
    });
    input.addEventListener("change", () => {
      const value = input.valueAsNumber;
      this.change({ eta: value > 0 ? value : null });
    });
    return this.field(aggressive ? "C" : "Step η", input);
  }

  private seedField(now: Settings): HTMLElement {
    const again = h(
      "button",
      { type: "button", "data-name": "again", click: () => this.change({ seed: (now.seed + 1) % 2 ** 32 }) },
      "Draw again",
    );
    return h("div", { class: "field" }, h("span", { class: "field-name" }, `Draw ${now.seed + 1}`), again);
  }

  private viewFields(): Node[] {
    const data = this.data();
    if (data.plain) return [];
    const view = data.view;
    const fields: Node[] = [];
    if (data.several) {
      const { levels, positive } = data.several;
      const names = Object.fromEntries(levels.map((level, code) => [code, level]));
      const menu = this.choice("positive", names, String(positive), (code) => this.look({ positive: Number(code) }));
      fields.push(this.field("Class +1", menu), h("p", { class: "muted small" }, "The rest are −1."));
    }
    if (data.names.length > 2) {
      const kinds = { all: `all ${data.names.length} features`, pair: "two features" };
      fields.push(
        this.field(
          "Learn from",
          this.choice("kind", kinds, view.kind, (kind) =>
            this.look({ view: kind === "all" ? { kind: "all" } : { kind: "pair", i: 0, j: 1 } }),
          ),
        ),
      );
      const names = Object.fromEntries(data.names.map((name, j) => [j, name]));
      if (view.kind === "pair") {
        fields.push(
          this.field(
            "Across",
            this.choice("i", names, String(view.i), (i) => this.look({ view: { ...view, i: Number(i) } })),
          ),
        );
        fields.push(
          this.field(
            "Upwards",
            this.choice("j", names, String(view.j), (j) => this.look({ view: { ...view, j: Number(j) } })),
          ),
        );
      }
    }
    fields.push(this.check("Scale columns to mean 0, deviation 1", data.scaled, (scaled) => this.look({ scaled })));
    return fields;
  }

  private select<K extends keyof Settings>(
    label: string,
    name: K,
    options: Record<string, string>,
    value: string,
  ): HTMLElement {
    return this.field(
      label,
      this.choice(name, options, value, (chosen) => this.change({ [name]: chosen } as Partial<Settings>)),
    );
  }

  private choice(
    name: string,
    options: Record<string, string>,
    value: string,
    chosen: (value: string) => void,
  ): HTMLSelectElement {
    const select = h(
      "select",
      { "data-name": name },
      ...Object.entries(options).map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
    );
    select.addEventListener("change", () => chosen(select.value));
    return select;
  }

  private field(label: string, control: HTMLElement): HTMLElement {
    return h("label", { class: "field" }, h("span", { class: "field-name" }, label), control);
  }

  private check(label: string, on: boolean, changed: (on: boolean) => void, look = ""): HTMLElement {
    const box = h("input", { type: "checkbox", "data-name": `check${this.serial++}` });
    box.checked = on;
    box.addEventListener("change", () => changed(box.checked));
    return h("label", { class: `check ${look}` }, box, h("span", {}, label));
  }
}
