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
  let at = 0;

  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const take = (sign: string): boolean => {
    match(SPACE);
    if (text[at] !== sign) return false;
    at++;
    match(SPACE);
    return true;
  };
  const need = (sign: string): void => {
    if (!take(sign)) throw new NotJson(`a ${sign} is missing at ${at}`);
  };
  const string = (): string | null => {
    const found = match(STRING);
    return found && (JSON.parse(found[0]) as string);
  };
  const list = (depth: number): Json[] => {
    const found: Json[] = [];
    if (take("]")) return found;
    do found.push(value(depth));
    while (take(","));
    need("]");
    return found;
  };
  const object = (depth: number): JsonObject => {
    const found: JsonObject = new Map();
    let twice = false;
    if (take("}")) return found;
    do {
      const name = string();
      if (name === null) throw new NotJson(`a name is missing at ${at}`);
      need(":");
      twice ||= found.has(name);
      found.set(name, value(depth));
    } while (take(","));
    need("}");
    if (twice) throw new NameTwice();
    return found;
  };
  const value = (depth: number): Json => {
    if (depth > DEEPEST) throw new NotJson("it is nested too deeply");
    if (take("{")) return object(depth + 1);
    if (take("[")) return list(depth + 1);
    const word = WORDS.find(([name]) => text.startsWith(name, at));
    if (word) {
      at += word[0].length;
      return word[1];
    }
    const plain = string() ?? number();
    if (plain === null) throw new NotJson(`there is no value at ${at}`);
    return plain;
  };
  const number = (): bigint | number | null => {
    const found = match(NUMBER);
    if (!found) return null;
    if (found[0].length > LONGEST_WHOLE) throw new NotJson("a number is too long");
    return found[1] === undefined && found[2] === undefined ? BigInt(found[0]) : Number(found[0]);
  };

  match(SPACE);
  const found = value(0);
  match(SPACE);
  if (at < text.length) throw new NotJson(`something follows at ${at}`);
  return found;
}
