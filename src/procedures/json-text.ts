// JSON that is not parsed on its way from a query to the wire.
//
// In an answer an object stands for it. A transport that sends JSON gets an answer that serialises as a token,
// and fills in the text of the whole answer, which is written in one piece. To any other caller goes the value.
import { randomUUID } from 'node:crypto';

/** The texts to fill in, by their tokens as JSON. */
export type Texts = Map<string, Text>;

/** JSON. */
type Text = string | Buffer;

/** Writes the JSON of what is made of `source`, between the texts `before` and `after` it. */
type Write = (source: string, before: string, after: string) => Text;

class JsonText {
  /** What it serialises as. Nobody can know it, so it is nowhere else in an answer. */
  readonly token = `json-text-${randomUUID()}`;
  readonly #write: Write;
  readonly #source: string;
  #answer: Text | undefined;
  #value: unknown;
  constructor(write: Write, source: string) {
    this.#write = write;
    this.#source = source;
  }
  toJSON(): string {
    return this.token;
  }
  /** The JSON of the answer that this is part of. Written once, for all who share the answer. */
  within(answer: unknown): Text {
    if (this.#answer === undefined) {
      const [before, after] = JSON.stringify(answer).split(JSON.stringify(this.token));
      this.#answer = this.#write(this.#source, before ?? '', after ?? '');
    }
    return this.#answer;
  }
  /** Parsed once, for all who share it. */
  get value(): unknown {
    this.#value ??= JSON.parse(`${this.#write(this.#source, '', '')}`);
    return this.#value;
  }
}

/** @returns what stands in an answer for a value whose JSON `write` makes of `source`; an answer may have one */
export function unparsed<Value>(write: Write, source: string): Value {
  return new JsonText(write, source) as Value;
}

/** @returns the answer serialised as a token, whose text is kept in `texts`, or else with the value in its place */
export function withoutText<Answer>(answer: Answer, texts: Texts | undefined): Answer {
  for (const [name, value] of Object.entries(Object(answer))) {
    if (!(value instanceof JsonText)) continue;
    if (!texts) return { ...answer, [name]: value.value }; // the answer may be another caller's too
    texts.set(JSON.stringify(value), value.within(answer));
    return { ...answer, toJSON: () => value.token };
  }
  return answer;
}

const TOKEN = /("json-text-[0-9a-f-]{36}")/;

/** @returns `json` with the texts in the places of their tokens */
export function fillIn(json: string, texts: Texts): Text {
  if (texts.size === 0) return json;
  const pieces = json.split(TOKEN).filter((piece) => piece !== '');
  const filled = pieces.map((piece) => texts.get(piece) ?? piece);
  const [only = '', ...others] = filled;
  if (others.length === 0) return only;
  if (filled.every((piece) => typeof piece === 'string')) return filled.join('');
  return Buffer.concat(filled.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}
