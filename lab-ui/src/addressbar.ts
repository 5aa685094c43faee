/**
 * The state in the page's address, so that reload, back and forward find it. What is too long for an address is kept by
 * the browser's window, under a name that the address has.
 */
import { keep, recall } from "./guide/keep";
import { FIRST, placeOf, pointsPart } from "./rooms/address";
import { sha256 } from "./sha256";
import { fromFragment, tooLong, type Shared } from "./share";

const PAUSE = 120; // milliseconds after the last change

export class AddressBar {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private fresh = false; // whether other points have been opened since the address was written
  private known = true; // whether the page shows what its address asked for, or what it begins with

  /** `code` is the state now; empty for what the page shows without being asked. */
  constructor(
    private readonly ours: boolean, // whether the address is the lab's own
    private readonly code: () => string,
  ) {}

  /** Something has changed; `opened`: other points are on the stage, and Back leads to those before. */
  changed(opened = false): void {
    if (!this.ours) return;
    this.fresh ||= opened && !this.known;
    this.known = false;
    clearTimeout(this.timer);
    if (opened) this.write();
    else this.timer = setTimeout(() => this.write(), PAUSE);
  }

  /** What is written need not be written again: it is what the address asked for. */
  read(): Shared | null {
    clearTimeout(this.timer);
    this.fresh = false;
    this.known = true;
    return this.ours ? stateIn(location.hash) : null;
  }

  /** The address as it should be now; what is about to be left is written first. */
  settle(): void {
    clearTimeout(this.timer);
    if (this.ours) this.write();
  }

  private write(): void {
    const { room, show } = placeOf(location.hash);
    const points = short(this.code());
    const elsewhere = room === FIRST ? [] : [`room=${room}`, show && `show=${encodeURIComponent(show)}`];
    const embed = /[#&](embed=\w+(?:&handle=\d+)?)/.exec(location.hash)?.[1];
    const hash = [...elsewhere, embed, points].filter(Boolean).join("&");
    const wanted = location.pathname + location.search + (hash && `#${hash}`);
    const pushed = this.fresh && parent === window; // a page around this one has a history of its own
    this.fresh = false;
    if (pointsPart(location.hash) === points) return;
    if (pushed) history.pushState(null, "", wanted);
    else history.replaceState(null, "", wanted);
  }
}

/** A state for an address: itself, or a name under which it is kept. */
function short(code: string): string {
  if (!tooLong(code)) return code;
  const name = sha256(new TextEncoder().encode(code)).slice(0, 12);
  keep(`kept-${name}`, code, "window");
  return `kept=${name}`;
}

/** The points that an address asks for. */
export function stateIn(hash: string): Shared | null {
  const kept = /[#&]kept=(\w+)/.exec(hash);
  return fromFragment(kept ? `#${recall(`kept-${kept[1]}`, "window") ?? ""}` : hash);
}
