// Points as answers hold them: the lines that the database made, which become text only on their way out.
import type { Point } from '../contract/point.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import type { Lines } from './select-lines.ts';
import { NEWLINE, type Parts, pointsJson, writeJson } from './serialise.ts';

/** Some points in their order. Serialised through plain JSON they are an array of {@link Point}. */
export class Points {
  readonly count: number;
  readonly lines: string;
  readonly #written = new Map<string, Buffer | Promise<Parts>>();

  constructor({ count, lines }: Lines) {
    this.count = count;
    this.lines = lines;
  }

  /**
   * @returns the JSON of their array between two texts: written once for all callers who pass the same texts. That
   *   of many points has parts, written in a turn each
   */
  json(before = '', after = ''): Buffer | Promise<Parts> {
    const texts = `${before}\n${after}`; // JSON as it is written here has no line break
    const written = this.#written.get(texts);
    if (written !== undefined) return written;
    const json = pointsJson(this.lines, before, after);
    this.#written.set(texts, json);
    return json;
  }

  toJSON(): Point[] {
    return JSON.parse(`${writeJson(this.lines, '', '')}`);
  }
}

/** Runs a statement of `selectLines`. */
export async function readPoints(db: Database, statement: Statement, values: Values): Promise<Points> {
  const [lines = { count: 0, lines: '' }] = await db.query<Lines>(statement, values);
  return new Points(lines);
}

/** A piece of a CSV file. Serialised through plain JSON it is its text. */
export class CsvPiece {
  readonly bytes: Buffer;
  readonly #headLines: number;

  /** @param headLines the lines at its start that are no points */
  constructor(bytes: Buffer, headLines = 0) {
    this.bytes = bytes;
    this.#headLines = headLines;
  }

  /** How many points it holds: counted when asked. */
  get points(): number {
    let lines = 0;
    for (let at = this.bytes.indexOf(NEWLINE); at >= 0; at = this.bytes.indexOf(NEWLINE, at + 1)) lines++;
    return lines - this.#headLines;
  }

  toJSON(): string {
    return this.bytes.toString('latin1');
  }
}
