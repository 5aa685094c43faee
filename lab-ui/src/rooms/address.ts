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

/** The points in an address, as they are written there: all of them, or the name under which this window keeps them. */
export function pointsPart(hash: string): string {
  const found = parts(hash);
  const name = ["s", "kept"].find((one) => found.has(one));
  return name ? `${name}=${found.get(name)}` : "";
}

/** The fragment of what is chosen in a room; points in the address stay in it. */
export function fragment({ room, show }: Omit<Place, "held">, hash: string): string {
  const words = [`room=${room}`, show && `show=${encodeURIComponent(show)}`, pointsPart(hash)];
  return `#${words.filter(Boolean).join("&")}`;
}
