/** The certificate of a proof, as docs/reference/certificate.md has it. */
import type { Points } from "../types";
import { forExamples, type Examples } from "./dyadic";
import type { Interval } from "./margins";
import type { Partition } from "./partition";
import { sha256 } from "../sha256";
import { primitive } from "./whole";

/** What a checker reads; its numbers are whole, or texts. */
export type Content = { [name: string]: Entry };
export type Entry = string | number | boolean | null | Entry[] | Content;

export interface Proof {
  examples: Examples;
  partition: Partition;
  margin: Interval | null;
  street: Interval | null;
}

export interface Names {
  features: string[];
  classes: [string, string];
}

/** The whole numbers w of the verdict: those of the margin, where there is one. */
export function weights({ examples, partition, margin }: Proof): bigint[] | null {
  return margin?.w ?? (partition.w && primitive(forExamples(partition.w, examples.exponents)));
}

export function certificate(proof: Proof, points: Points, names: Names): Content {
  const { examples, partition, margin, street } = proof;
  const { kind, mixture, open } = partition;
  const whole = (w: bigint[]): Entry => primitive(forExamples(w, examples.exponents)).map(hex);
  const w = weights(proof)?.map(hex);
  return {
    format: `rosenblatt-certificate/${street ? 2 : 1}`,
    verdict: kind,
    n: points.n,
    p: points.p,
    fit_intercept: true,
    layout: "dense",
    data_sha256: digest(points),
    classes: names.classes,
    features: names.features,
    table: {
      target: "class",
      positive: names.classes[1],
      missing: "refuse",
      columns: names.features.map((name) => ({ name, kind: "number" })),
    },
    ...(w && { w }),
    ...(mixture.size > 0 && { lambda: entries(mixture), null: open.map(whole) }),
    ...(margin && { margin: interval(margin) }),
    ...(street && { street: { ...interval(street), w: street.w.map(hex) } }),
  };
}

/** SHA-256 of X as little-endian float64, −0.0 as 0.0, then y. */
function digest({ n, p, X, y }: Points): string {
  const bytes = new Uint8Array(n * p * 8 + n);
  const view = new DataView(bytes.buffer);
  for (let k = 0; k < n * p; k++) view.setFloat64(8 * k, X[k] + 0, true);
  bytes.set(new Uint8Array(y.buffer, y.byteOffset, n), n * p * 8);
  return sha256(bytes);
}

function interval({ lower, upper, lambda }: Interval): Content {
  return { lower: lower.map(hex).join("/"), upper: upper.map(hex).join("/"), lambda: entries(lambda) };
}

function entries(mixture: Map<number, bigint>): Content {
  return Object.fromEntries([...mixture].sort(([i], [j]) => i - j).map(([i, m]) => [String(i), hex(m)]));
}

/** As a certificate has whole numbers. */
export function hex(v: bigint): string {
  return v < 0n ? `-0x${(-v).toString(16)}` : `0x${v.toString(16)}`;
}
