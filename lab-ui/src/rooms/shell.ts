/** The rooms of the lab: one bar to go from one to another, one address for each. */
import { h } from "../dom";
import { FIRST, fragment, placeOf, sharedPart, type Place } from "./address";
import { ROOMS } from "./list";
import type { RoomPage } from "./parts";

export class Shell {
  /** Where the room of the perceptron lives. */
  readonly first = h("div", { class: "room-slot" });
  private readonly pages = new Map<string, RoomPage>();
  private readonly links = new Map<string, HTMLAnchorElement>();
  private readonly slots = new Map<string, HTMLElement>([[FIRST, this.first]]);
  private readonly bar = h("nav", { class: "rooms", "aria-label": "Rooms of the lab" });
  private readonly home: HTMLElement;
  private readonly title = document.title;
  private at: Place = { room: FIRST, show: "" };

  /** `inAddress`: whether the page's address is ours; in a notebook it is not. */
  constructor(
    root: HTMLElement,
    private readonly inAddress: boolean,
  ) {
    const names = [[FIRST, "Perceptron"], ...ROOMS.map(({ key, name }) => [key, name])];
    const items = names.map(([key, name]) => {
      const link = h("a", { href: `#room=${key}`, click: (event: Event) => this.follow(event, key) }, name);
      this.links.set(key, link);
      return h("li", {}, link);
    });
    this.bar.append(h("ul", {}, ...items));
    this.home = h("div", { class: "lab shell" }, this.bar, this.first);
    root.append(this.home);
    this.listen();
    this.enter(inAddress ? placeOf(location.hash) : this.at);
  }

  private listen(): void {
    this.home.addEventListener("dragover", (event) => event.preventDefault());
    this.home.addEventListener("drop", (event) => this.dropped(event));
    if (!this.inAddress) return;
    // these come before the perceptron's own listeners, which were added later
    addEventListener("hashchange", (event) => {
      if (location.hash.startsWith("#key=")) return;
      const same = sharedPart(event.oldURL) === sharedPart(event.newURL);
      const place = placeOf(location.hash);
      if (same && place.room !== placeOf(event.oldURL).room) event.stopImmediatePropagation(); // the points stay
      this.enter(place);
    });
    document.body.addEventListener("keydown", (event) => {
      if (this.at.room !== FIRST) event.stopImmediatePropagation(); // undo is of the room that is seen
    });
  }

  private follow(event: Event, room: string): void {
    const { ctrlKey, metaKey, shiftKey } = event as MouseEvent;
    if (ctrlKey || metaKey || shiftKey) return; // a new tab, or window
    event.preventDefault();
    this.go(room);
    this.slots.get(room)!.querySelector<HTMLElement>("h1")?.focus();
  }

  private go(room: string): void {
    const place = { room, show: this.pages.get(room)?.shown() ?? "" };
    if (this.inAddress && room !== this.at.room) history.pushState(null, "", fragment(place, location.hash));
    this.enter(place);
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
    this.at = known ? place : { room: FIRST, show: "" };
    this.page(this.at.room)?.open(this.at.show);
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

  /** A room is made when it is entered first, and kept as it is left. */
  private page(key: string): RoomPage | null {
    const room = ROOMS.find((one) => one.key === key);
    if (!room || this.pages.has(key)) return this.pages.get(key) ?? null;
    const page = room.make((show) => this.chosen(key, show));
    const slot = h("div", { class: "room-slot" }, page.element);
    slot.addEventListener("keydown", (event) => event.stopPropagation()); // a notebook would take our keys for its own
    this.slots.set(key, slot);
    this.pages.set(key, page);
    this.home.append(slot);
    return page;
  }

  /** Something was chosen in a room: its link is the address now. */
  private chosen(room: string, show: string): void {
    this.at = { room, show };
    if (this.inAddress) history.replaceState(null, "", fragment(this.at, location.hash));
  }
}
