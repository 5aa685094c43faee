/** The rooms of the lab: one bar to go from one to another, one address for each. */
import { h } from "../dom";
import type { Host } from "../host";
import { FIRST, fragment, placeOf, pointsPart, type Place } from "./address";
import { heldIn, RoomKeeping } from "./keeping";
import { ROOMS } from "./list";
import type { Points } from "../types";
import type { RoomPage } from "./parts";

export class Shell {
  /** Where the room of the perceptron lives. */
  readonly first = h("div", { class: "room-slot", id: `room=${FIRST}` });
  /** Called before another room is entered. */
  leaving: () => void = () => undefined;
  /** The points of the perceptron's room, for rooms that show the visitor's own. */
  points: () => Points | null = () => null;
  private readonly pages = new Map<string, RoomPage>();
  private readonly keepings = new Map<string, RoomKeeping>();
  private readonly links = new Map<string, HTMLAnchorElement>();
  private readonly slots = new Map<string, HTMLElement>([[FIRST, this.first]]);
  private readonly bar = h("nav", { class: "rooms", "aria-label": "Rooms of the lab" });
  private readonly home: HTMLElement;
  private readonly title = document.title;
  private readonly inAddress: boolean; // whether the page's address is ours; in a notebook it is not
  private at: Place = NOWHERE;

  constructor(
    root: HTMLElement,
    private readonly host: Host,
  ) {
    this.inAddress = host.kind !== "notebook";
    const names = [[FIRST, "Perceptron"], ...ROOMS.map(({ key, name }) => [key, name])];
    const items = names.map(([key, name]) => {
      const link = h("a", { href: `#room=${key}`, click: (event: Event) => this.follow(event, key) }, name);
      this.links.set(key, link);
      return h("li", {}, link);
    });
    this.bar.append(h("ul", {}, ...items));
    for (const { key } of ROOMS) this.slots.set(key, h("div", { class: "room-slot", id: `room=${key}`, hidden: true }));
    this.home = h("div", { class: "lab shell" }, this.bar, ...this.slots.values());
    root.append(this.home);
    this.listen();
    this.enter(this.inAddress ? placeOf(location.hash) : this.at);
  }

  /** A file that was saved in a room opens in it, unless its address says where to open. */
  begin(state: string | null): void {
    if (state && !(this.inAddress && /[#&](room|s)=/.test(location.hash))) this.enter(placeOf(state));
  }

  /** The perceptron's room has its points. */
  ready(): void {
    this.pages.get(this.at.room)?.entered?.();
    this.keepings.get(this.at.room)?.begin();
  }

  private listen(): void {
    this.home.addEventListener("dragover", (event) => event.preventDefault());
    this.home.addEventListener("drop", (event) => this.dropped(event));
    if (!this.inAddress) return;
    // these come before the perceptron's own listeners, which were added later
    addEventListener("hashchange", (event) => {
      if (location.hash.startsWith("#key=")) return;
      const same = pointsPart(event.oldURL) === pointsPart(event.newURL);
      const place = placeOf(location.hash);
      if (same && place.room !== placeOf(event.oldURL).room) event.stopImmediatePropagation(); // the points stay
      this.enter(place);
    });
    document.body.addEventListener("keydown", (event) => {
      if (this.at.room === FIRST) return;
      event.stopImmediatePropagation(); // undo is of the room that is seen
      this.keepings.get(this.at.room)?.key(event);
    });
  }

  private follow(event: Event, room: string): void {
    const { ctrlKey, metaKey, shiftKey } = event as MouseEvent;
    if (ctrlKey || metaKey || shiftKey) return; // a new tab, or window
    event.preventDefault();
    this.go(room);
    this.slots.get(room)!.querySelector<HTMLElement>("h1")?.focus();
  }

  go(room: string): void {
    if (room === this.at.room) return;
    this.leaving();
    const place = { room, show: this.pages.get(room)?.shown() ?? "", held: "" };
    if (this.inAddress) history.pushState(null, "", fragment(place, location.hash));
    this.enter(place);
    if (this.inAddress) scrollTo(0, 0);
  }

  /** A file that is dropped in any room, or on the bar, is for the perceptron's; the browser would leave the page. */
  private dropped(event: DragEvent): void {
    if (event.composedPath().includes(this.first)) return;
    event.preventDefault();
    this.go(FIRST);
    this.first.dispatchEvent(new DragEvent("drop", { dataTransfer: event.dataTransfer }));
  }

  private enter(place: Place): void {
    const known = this.links.has(place.room);
    const again = place.room === this.at.room;
    this.at = known ? place : NOWHERE;
    this.open(this.at, again);
    for (const [key, slot] of this.slots) slot.hidden = key !== this.at.room;
    for (const [key, link] of this.links) {
      if (key === this.at.room) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const link = this.links.get(this.at.room)!;
    const beyond = link.offsetLeft + link.offsetWidth - this.bar.clientWidth;
    if (beyond > this.bar.scrollLeft || link.offsetLeft < this.bar.scrollLeft) this.bar.scrollLeft = beyond;
    const name = link.textContent;
    if (this.inAddress) document.title = this.at.room === FIRST ? this.title : `${name} · ${this.title}`;
  }

  /** A room that was left is found as it was, unless the address asks for something else, or for the same once more. */
  private open({ room, show, held }: Place, again: boolean): void {
    const page = this.page(room);
    if (!page) return;
    const state = heldIn(held);
    if (!again) page.entered?.();
    if (again || show !== page.shown()) page.open(show);
    if (state) page.put(state);
    this.keepings.get(room)!.begin();
  }

  /** A room is made when it is entered first, and kept as it is left. */
  private page(key: string): RoomPage | null {
    const room = ROOMS.find((one) => one.key === key);
    if (!room || this.pages.has(key)) return this.pages.get(key) ?? null;
    const page = room.make((show) => this.chosen(key, show), { points: () => this.points() });
    const keeping = new RoomKeeping(key, page, {
      host: this.host,
      restored: () => this.chosen(key, page.shown()),
      open: (address) => this.openAddress(address),
    });
    page.element.querySelector(".room-head")!.append(keeping.element);
    const slot = this.slots.get(key)!;
    slot.append(page.element);
    slot.addEventListener("keydown", (event) => {
      event.stopPropagation(); // a notebook would take our keys for its own
      keeping.key(event);
    });
    this.pages.set(key, page);
    this.keepings.set(key, keeping);
    return page;
  }

  /** An address that was pasted: of a room, or of points. */
  private openAddress(address: string): boolean {
    const text = address.includes("#") ? address.slice(address.indexOf("#")) : `#${address}`;
    const place = placeOf(text);
    const points = pointsPart(text) !== "";
    if (!points && (!this.links.has(place.room) || place.room === FIRST)) return false;
    if (this.inAddress) location.hash = text;
    else this.enter(place);
    return true;
  }

  /** Something was chosen in a room: its link is the address now. */
  private chosen(room: string, show: string): void {
    this.at = { room, show, held: "" };
    if (this.inAddress) history.replaceState(null, "", fragment(this.at, location.hash));
  }
}

const NOWHERE: Place = { room: FIRST, show: "", held: "" };
