/** Which room an address opens, beside what Share writes: `#room=gates&show=XOR&s=…`, or `#room=gates&t=…` with its state. */

export interface Place {
  room: string;
  /** What is chosen in the room; empty where the address says nothing. */
  show: string;
  /** What Share wrote of the room; empty where the address says nothing. */
  held: string;
}

export const FIRST = "perceptron";

/** The parts of a fragment by name; a damaged part is left out. */
function parts(hash: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of hash.slice(hash.indexOf("#") + 1).split("&")) {
    const [name, ...rest] = part.split("=");
    try {
      if (name && rest.length > 0) found.set(name, decodeURIComponent(rest.join("=")));
    } catch {
      continue;
    }
  }
  return found;
}

export function placeOf(hash: string): Place {
  const found = parts(hash);
  return { room: found.get("room") ?? FIRST, show: found.get("show") ?? "", held: found.get("t") ?? "" };
}

/** The points that Share put into an address, as they are written there. */
export function sharedPart(hash: string): string {
  return parts(hash).get("s") ?? "";
}

/** The fragment of what is chosen in a room; points in the address stay in it. */
export function fragment({ room, show }: Omit<Place, "held">, hash: string): string {
  const shared = sharedPart(hash);
  const words = [`room=${room}`, show && `show=${encodeURIComponent(show)}`, shared && `s=${shared}`];
  return `#${words.filter(Boolean).join("&")}`;
}
