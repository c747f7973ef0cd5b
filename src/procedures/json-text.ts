// JSON that is not parsed on its way from a query to the wire.
//
// In an answer an object stands for it. A transport that sends JSON gets a token in its place, serialises the
// answer, and fills in the text. To any other caller goes the value.
import { randomUUID } from 'node:crypto';

/** The texts to fill in, by their tokens as JSON. */
export type Texts = Map<string, JsonText>;

/** JSON. */
type Text = string | Buffer;

/** Writes a text between two others: copied into an answer later, a long one would cost as much again. */
type Write = (before: string, after: string) => Text;

class JsonText {
  readonly #write: Write;
  #last: { before: string; after: string; whole: Text } | undefined;
  #value: unknown;
  constructor(write: Write) {
    this.#write = write;
  }
  /** Written once, for all who share the answer: the same stands around it. */
  within(before: string, after: string): Text {
    if (this.#last?.before !== before || this.#last.after !== after)
      this.#last = { before, after, whole: this.#write(before, after) };
    return this.#last.whole;
  }
  /** Parsed once, for all who share it. */
  get value(): unknown {
    this.#value ??= JSON.parse(`${this.within('', '')}`);
    return this.#value;
  }
}

/** @returns what stands in an answer for the value with this JSON; whoever asks gets the value or its JSON */
export function unparsed<Value>(write: Write): Value {
  return new JsonText(write) as Value;
}

/** @returns the answer with a token, kept in `texts`, or else the value where an object stands for a text */
export function withoutTexts<Answer>(answer: Answer, texts: Texts | undefined): Answer {
  let replaced = answer;
  for (const [name, value] of Object.entries(Object(answer))) {
    if (!(value instanceof JsonText)) continue;
    const json = texts ? keep(value, texts) : value.value;
    replaced = { ...replaced, [name]: json }; // the answer may be another caller's too
  }
  return replaced;
}

/** Nobody can know the token, so it is nowhere else in an answer. */
function keep(text: JsonText, texts: Texts): string {
  const token = `json-text-${randomUUID()}`;
  texts.set(`"${token}"`, text);
  return token;
}

/** @returns `json` with the texts in the places of their tokens */
export function fillIn(json: string, texts: Texts): Text {
  const places = Array.from(texts, ([token, text]) => ({ at: json.indexOf(token), token, text }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  let done = 0;
  const parts = places.map(({ at, token, text }, index) => {
    const before = json.slice(done, at);
    done = at + token.length;
    return text.within(before, index === places.length - 1 ? json.slice(done) : '');
  });
  if (parts.length <= 1) return parts[0] ?? json;
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
