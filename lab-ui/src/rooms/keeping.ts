/** Undo, redo, share and save in a room. The room tells its state; what one does is seen by comparing it. */
import { h } from "../dom";
import type { Host } from "../host";
import { menu } from "../layout";
import { Refusal } from "../refusal";
import { download } from "../save";
import { shareDialog } from "../share";
import { Undoing } from "../undoing";
import { read, written, type RoomState } from "./roomstate";
import type { RoomPage } from "./parts";

const ENDS = ["pointerup", "pointercancel", "click", "change", "keyup"]; // of whatever one does

export interface Around {
  host: Host;
  /** Another state is shown: the address is another. */
  restored(): void;
  /** Open an address; false where it is none of the lab. */
  open(address: string): boolean;
}

export class RoomKeeping {
  readonly element: HTMLElement;
  private rest: string; // the state when nothing was going on
  private readonly undoing: Undoing<string>;
  private readonly spoken = h("span", { class: "spoken", role: "status" });
  private readonly notice = h("span", { class: "refused", role: "alert" });

  constructor(
    private readonly room: string,
    private readonly page: RoomPage,
    private readonly around: Around,
  ) {
    this.rest = this.now();
    this.undoing = new Undoing<string>(
      () => this.rest,
      (state) => this.restore(state),
      (words) => (this.spoken.textContent = words),
    );
    const share = h("button", { type: "button", click: () => void this.share() }, "Share…");
    const save = menu("Save", [{ label: "This lab (one HTML file)", act: () => void this.save() }], page.element);
    const parts = [...this.undoing.buttons, share, save, this.notice, this.spoken];
    this.element = h("div", { class: "room-tools", role: "group", "aria-label": "Undo, share, save" }, ...parts);
    for (const end of ENDS) page.element.addEventListener(end, () => this.settle());
  }

  key(event: KeyboardEvent): void {
    this.undoing.key(event);
  }

  /** Something was opened: undo does not lead behind it. */
  begin(): void {
    this.rest = this.now();
  }

  private now(): string {
    return JSON.stringify(this.page.state());
  }

  /** A gesture is over: if the state has changed, undo brings back the one before. */
  private settle(): void {
    const now = this.now();
    if (now === this.rest) return;
    this.undoing.remember(this.rest);
    this.rest = now;
  }

  private restore(state: string): void {
    this.page.put(JSON.parse(state) as RoomState);
    this.rest = this.now();
    this.around.restored();
  }

  private code(): string {
    return `room=${this.room}&t=${written(this.page.state())}`;
  }

  private async share(): Promise<void> {
    this.notice.textContent = "";
    const open = this.around.host.kind === "file" && location.protocol !== "file:";
    const given = await shareDialog(this.page.element, {
      what: "What is chosen and moved in this room is",
      code: this.code(),
      page: open ? location.href.split("#")[0] : null,
      copied: () => (this.spoken.textContent = "Copied."),
      save: () => void this.save(),
    });
    if (given !== null && !this.around.open(given)) {
      this.notice.textContent = "That is not the address of a state of the lab.";
    }
  }

  private async save(): Promise<void> {
    try {
      download("lab.html", await this.around.host.oneFile(this.code()));
    } catch (why) {
      if (!(why instanceof Refusal)) throw why;
      this.notice.textContent = why.message;
    }
  }
}

/** The state in a place's text; null where there is none. */
export function heldIn(text: string): RoomState | null {
  const found = text ? read(text) : null;
  return typeof found === "object" && found !== null ? (found as RoomState) : null;
}
