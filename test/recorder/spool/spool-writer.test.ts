import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../../../src/contract/instant.ts';
import { createSpoolWriter } from '../../../src/recorder/storing/spool/spool-writer.ts';
import { filesOf, openTestSpool, points } from './segments.ts';

async function create(live?: { intervalMs: number; mostMs: number }) {
  const spool = await openTestSpool();
  const lines: string[] = [];
  const writer = createSpoolWriter({ spool, live, report: (line) => lines.push(line) });
  const count = async () => (await spool.waiting()).reduce((sum, segment) => sum + segment.points, 0);
  return { spool, lines, writer, count };
}

describe('The writer of a spool', () => {
  it('writes the first points at once, later ones in batches, and the rest at the end', async () => {
    const { spool, writer, count } = await create({ intervalMs: 1000, mostMs: 3_600_000 });
    await writer.add(points(0, 1));
    await expect.poll(count).toBe(1);
    for (let n = 1; n < 50; n++) await writer.add(points(n, 1));
    await expect.poll(count).toBe(50);
    expect((await spool.waiting()).length).toBeLessThan(4);
    await writer.add(points(50, 5));
    const { written, last } = await writer.close();
    expect(written).toEqual({ count: 55, first: instantOf(0), last: instantOf(54_000) });
    expect((await spool.waiting()).at(-1)).toEqual(last);
    expect(await count()).toBe(55);
  });

  it('slows down sound that is faster than the disk, and drops none of it', async () => {
    // more than may wait in memory
    const { writer, count, lines } = await create();
    const some = points(0, 1000);
    for (let n = 0; n < 110; n++) await writer.add(some);
    await writer.close();
    expect(await count()).toBe(110_000);
    expect(lines).toEqual([]);
  });

  it('makes room for new points if too many wait, and reports which it dropped', async () => {
    const { spool, writer, lines, count } = await create({ intervalMs: 1000, mostMs: 60_000 });
    await spool.write(points(0, 100).map(({ time }) => `${time},,,true\n`)); // of a file, so none may be dropped
    for (let n = 0; n < 10; n++)
      await spool.write(
        points(n, 1).map(({ time }) => `${time},,,true\n`),
        { coversMs: 10_000 },
      );
    await writer.add(points(1000, 7));
    await writer.close();
    expect((await spool.waiting()).map((segment) => segment.points)).toEqual([100, 1, 1, 1, 1, 1, 7]);
    expect(await count()).toBe(112);
    expect(lines).toEqual([
      `Warning: dropped 5 points, ${instantOf(0)} to ${instantOf(4000)}: ${spool.folder} has reached --spool-max. Bring the database back, or raise --spool-max.`,
    ]);
  });

  it('keeps points in memory while the folder is gone, and writes them when it is back', async () => {
    const { spool, writer, lines, count } = await create({ intervalMs: 1000, mostMs: 3_600_000 });
    rmSync(spool.folder, { recursive: true });
    writeFileSync(spool.folder, ''); // this stops root too, unlike permissions
    chmodSync(spool.folder, 0o400);
    await writer.add(points(0, 3));
    await expect.poll(() => lines).toHaveLength(1);
    rmSync(spool.folder);
    const again = await openTestSpool(spool.folder);
    await expect.poll(count).toBe(3);
    await writer.close();
    expect(lines[0]).toMatch(
      /^Warning: cannot write points to .*: ENOTDIR.* They wait in memory until a retry succeeds\.$/,
    );
    expect(lines[1]).toBe(`Writing points to ${spool.folder} again.`);
    expect(filesOf(again)).toHaveLength(1);
  });

  it('fails at the end if nothing could be written', async () => {
    const { spool, writer, lines } = await create({ intervalMs: 1000, mostMs: 3_600_000 });
    rmSync(spool.folder, { recursive: true });
    await writer.add(points(0, 3));
    await expect(writer.close()).rejects.toMatchObject({ code: 'ENOENT' });
    expect(lines.at(-1)).toBe(
      `Warning: lost 3 points that could not be written to ${spool.folder}: check its disk.`,
    );
  });
});
