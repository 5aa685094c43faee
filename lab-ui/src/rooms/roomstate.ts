/** What is chosen and moved in a room, as text for an address, and back: text from an unknown source must not break the room. */

export type RoomState = Record<string, unknown>;

/** For an address: letters that need no quoting there. */
export function written(state: RoomState): string {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** What an address holds; null where it is damaged. */
export function read(text: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/** Whether a value has the names and kinds of another; numbers are finite, lists have any length. */
export function alike<T>(value: unknown, like: T): value is T {
  if (typeof like === "number") return Number.isFinite(value);
  if (typeof like !== "object" || like === null) return typeof value === typeof like;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(like)) return false;
  if (Array.isArray(like)) return like.length === 0 || (value as unknown[]).every((one) => alike(one, like[0]));
  const names = Object.keys(like);
  if (Object.keys(value).length !== names.length) return false;
  return names.every((name) => Object.hasOwn(value, name) && alike((value as RoomState)[name], (like as RoomState)[name]));
}

export function within(value: number, [low, high]: [number, number]): number {
  return Math.min(high, Math.max(low, value));
}
