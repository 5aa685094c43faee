/** JSON read strictly: a name twice is refused, and a whole number is told from a float, which `JSON.parse` cannot. */

export type Json = string | bigint | number | boolean | null | Json[] | JsonObject;
export type JsonObject = Map<string, Json>;

export class NotJson extends Error {}
export class NameTwice extends Error {}

const DEEPEST = 900;
const LONGEST_WHOLE = 4300; // digits; certificates have their long numbers in texts
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const STRING = /"((?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS: [string, Json][] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
];

export function parseJson(text: string): Json {
  return new Reader(text).all();
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  all(): Json {
    this.match(SPACE);
    const found = this.value(0);
    this.match(SPACE);
    if (this.at < this.text.length) throw new NotJson(`something follows at ${this.at}`);
    return found;
  }

  private value(depth: number): Json {
    if (depth > DEEPEST) throw new NotJson("it is nested too deeply");
    if (this.take("{")) return this.object(depth + 1);
    if (this.take("[")) return this.list(depth + 1);
    const word = WORDS.find(([name]) => this.text.startsWith(name, this.at));
    if (word) {
      this.at += word[0].length;
      return word[1];
    }
    const plain = this.string() ?? this.number();
    if (plain === null) throw new NotJson(`there is no value at ${this.at}`);
    return plain;
  }

  private object(depth: number): JsonObject {
    const found: JsonObject = new Map();
    let twice = false;
    if (this.take("}")) return found;
    do {
      const name = this.string();
      if (name === null) throw new NotJson(`a name is missing at ${this.at}`);
      this.need(":");
      twice ||= found.has(name);
      found.set(name, this.value(depth));
    } while (this.take(","));
    this.need("}");
    if (twice) throw new NameTwice();
    return found;
  }

  private list(depth: number): Json[] {
    const found: Json[] = [];
    if (this.take("]")) return found;
    do found.push(this.value(depth));
    while (this.take(","));
    this.need("]");
    return found;
  }

  private string(): string | null {
    const found = this.match(STRING);
    return found && (JSON.parse(found[0]) as string);
  }

  private number(): bigint | number | null {
    const found = this.match(NUMBER);
    if (!found) return null;
    if (found[0].length > LONGEST_WHOLE) throw new NotJson("a number is too long");
    return found[1] === undefined && found[2] === undefined ? BigInt(found[0]) : Number(found[0]);
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  private take(sign: string): boolean {
    this.match(SPACE);
    if (this.text[this.at] !== sign) return false;
    this.at++;
    this.match(SPACE);
    return true;
  }

  private need(sign: string): void {
    if (!this.take(sign)) throw new NotJson(`a ${sign} is missing at ${this.at}`);
  }
}
