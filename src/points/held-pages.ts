// Held pages: the pages of points in tRPC's answers. They stay text: tRPC writes a mark in place of each.
import { randomUUID } from 'node:crypto';
import type { Points } from './points.ts';

/**
 * The pages of one request. If tRPC wrote the points itself, it would hold a batch as text, as objects and as JSON. A
 * batch of twenty pages then takes 100 MB, and blocks all other callers for 0.3 s.
 */
export class HeldPages {
  /** Unknown to callers, so that no text of theirs can pass for a mark. */
  readonly #mark = randomUUID();
  readonly #texts: string[] = [];

  hold({ text }: Points): string {
    return `${this.#mark}-${this.#texts.push(text) - 1}`;
  }

  /** Puts the pages in place of their marks, and forgets them. */
  fill(json: Buffer): Buffer {
    if (this.#texts.length === 0) return json;
    const pieces = json.toString('latin1').split(new RegExp(`"${this.#mark}-(\\d+)"`));
    for (let n = 1; n < pieces.length; n += 2) {
      const index = Number(pieces[n]);
      pieces[n] = this.#texts[index] ?? '';
      this.#texts[index] = '';
    }
    const filled = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const piece of pieces) end += filled.write(piece, end, 'latin1');
    return filled;
  }
}
