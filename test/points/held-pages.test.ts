import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeldPages } from '../../src/points/held-pages.ts';
import { Points } from '../../src/points/points.ts';
import { POINT } from '../rows.ts';

const pointsOf = (count: number) => new Points(JSON.stringify(Array(count).fill(POINT)), count);

describe('Held pages', () => {
  it('give the JSON that the points themselves would give', () => {
    const answers = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat(3)), { maxLength: 8 });
    fc.assert(
      fc.property(answers, (parts) => {
        const pages = new HeldPages();
        const answer = parts.map((part) => (typeof part === 'number' ? pointsOf(part) : { '"\\': part }));
        const marked = answer.map((part) => (part instanceof Points ? pages.hold(part) : part));
        expect(`${pages.fill(Buffer.from(JSON.stringify(marked)))}`).toBe(JSON.stringify(answer));
      }),
    );
  });

  it('fill the lines of a stream in any order', () => {
    const pages = new HeldPages();
    const lines = [2, 0, 1].map((count) => JSON.stringify([count, pages.hold(pointsOf(count))]));
    for (const line of lines.toReversed()) {
      const [count, points] = JSON.parse(`${pages.fill(Buffer.from(line))}`);
      expect(points).toHaveLength(count);
    }
  });

  it('leave the marks of other requests as they are', () => {
    const pages = new HeldPages();
    pages.hold(pointsOf(1));
    const other = Buffer.from(JSON.stringify([new HeldPages().hold(pointsOf(1)), 'ä"']));
    expect(pages.fill(other)).toEqual(other);
  });
});
