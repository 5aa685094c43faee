/** A JSON header and columns of numbers in one piece of bytes; the twin of lab/packing.py. */

export type Column = Float64Array | Int32Array | Int8Array;
export interface Unpacked {
  header: Record<string, unknown>;
  columns: Record<string, Column>;
}

const KINDS = { f64: Float64Array, i32: Int32Array, i8: Int8Array } as const;
type Kind = keyof typeof KINDS;

export function pack(header: Record<string, unknown>, columns: Record<string, Column>): Uint8Array<ArrayBuffer> {
  const kind = (c: Column): Kind => (c instanceof Float64Array ? "f64" : c instanceof Int32Array ? "i32" : "i8");
  const described = Object.entries(columns).map(([name, c]) => [name, kind(c), c.length]);
  const text = new TextEncoder().encode(JSON.stringify({ ...header, columns: described }));
  const places: number[] = [];
  let size = 4 + text.length;
  for (const column of Object.values(columns)) {
    size += -size & 7;
    places.push(size);
    size += column.byteLength;
  }
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  Object.values(columns).forEach((column, i) => {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), places[i]);
  });
  return bytes;
}

/** The columns are views on the buffer: nothing is copied. */
export function unpack(buffer: ArrayBuffer): Unpacked {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Record<string, unknown>;
  const columns: Record<string, Column> = {};
  let at = 4 + length;
  for (const [name, kind, size] of header["columns"] as [string, Kind, number][]) {
    at += -at & 7;
    columns[name] = new KINDS[kind](buffer, at, size);
    at += columns[name].byteLength;
  }
  return { header, columns };
}
