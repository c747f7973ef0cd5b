// JSON that is not parsed on its way from a query to the wire.
//
// In an answer an object stands for it. A transport that sends JSON gets a token in its place, serialises the
// answer, and fills in the text. To any other caller goes the value.
import { randomUUID } from 'node:crypto';

/** The texts to fill in, by their tokens as JSON. */
export type Texts = Map<string, Uint8Array>;

class JsonText {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** @returns what stands in an answer for the value with this JSON; whoever asks gets the value or its JSON */
export function unparsed<Value>(json: Uint8Array): Value {
  return new JsonText(json) as Value;
}

/** @returns the answer with a token, kept in `texts`, or else the value where an object stands for a text */
export function withoutTexts(answer: object, texts: Texts | undefined): object {
  const replaced = Object.entries(answer).map(([name, value]) => {
    if (!(value instanceof JsonText)) return [name, value];
    return [name, texts ? keep(value.bytes, texts) : JSON.parse(`${Buffer.from(value.bytes)}`)];
  });
  return Object.fromEntries(replaced);
}

const TOKEN = /("json-text-[0-9a-f-]{36}")/;

/** Nobody can know the token, so it is nowhere else in an answer. */
function keep(bytes: Uint8Array, texts: Texts): string {
  const token = `json-text-${randomUUID()}`;
  texts.set(`"${token}"`, bytes);
  return token;
}

/** @returns `json` with the texts in the places of their tokens */
export function fillIn(json: string, texts: Texts): string | Buffer {
  if (texts.size === 0) return json;
  return Buffer.concat(json.split(TOKEN).map((piece) => texts.get(piece) ?? Buffer.from(piece)));
}
