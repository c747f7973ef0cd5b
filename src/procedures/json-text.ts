// JSON that is not parsed on its way from a query to the wire.
//
// In an answer an object stands for it. A transport that sends JSON gets a token in its place, serialises the
// answer, and fills in the text. To any other caller goes the value.
import { randomUUID } from 'node:crypto';

/** The texts to fill in, by their tokens as JSON. */
export type Texts = Map<string, Text>;

/** JSON. */
type Text = string | Buffer;

class JsonText {
  readonly json: Text;
  #value: unknown;
  constructor(json: Text) {
    this.json = json;
  }
  /** Parsed once, for all who share it. */
  get value(): unknown {
    this.#value ??= JSON.parse(`${this.json}`);
    return this.#value;
  }
}

/** @returns what stands in an answer for the value with this JSON; whoever asks gets the value or its JSON */
export function unparsed<Value>(json: Text): Value {
  return new JsonText(json) as Value;
}

/** @returns the answer with a token, kept in `texts`, or else the value where an object stands for a text */
export function withoutTexts<Answer>(answer: Answer, texts: Texts | undefined): Answer {
  let replaced = answer;
  for (const [name, value] of Object.entries(Object(answer))) {
    if (!(value instanceof JsonText)) continue;
    const json = texts ? keep(value.json, texts) : value.value;
    replaced = { ...replaced, [name]: json }; // the answer may be another caller's too
  }
  return replaced;
}

const TOKEN = /("json-text-[0-9a-f-]{36}")/;

/** Nobody can know the token, so it is nowhere else in an answer. */
function keep(json: Text, texts: Texts): string {
  const token = `json-text-${randomUUID()}`;
  texts.set(`"${token}"`, json);
  return token;
}

/** @returns `json` with the texts in the places of their tokens */
export function fillIn(json: string, texts: Texts): Text {
  if (texts.size === 0) return json;
  const pieces = json.split(TOKEN).map((piece) => texts.get(piece) ?? piece);
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}
