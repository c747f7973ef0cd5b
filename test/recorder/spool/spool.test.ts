import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { instantOf } from '../../../src/contract/instant.ts';
import { UNKNOWN } from '../../../src/contract/periods.ts';
import { publishedPeriods, publishPeriods } from '../../../src/recorder/storing/periods/note-periods.ts';
import { readHead } from '../../../src/recorder/storing/periods/recorded-as.ts';
import type { Segment, SegmentRead, Spool } from '../../../src/recorder/storing/spool/spool.ts';
import { temporaryFolder } from '../../process.ts';
import { messageOf } from '../run.ts';
import { filesOf, openTestSpool, rows } from './segments.ts';

async function read(
  spool: Spool,
  segment: Segment | undefined,
  what: SegmentRead = { count: 0 },
): Promise<string> {
  let text = '';
  if (segment) for await (const piece of spool.rows(segment, what)) text += piece;
  return text;
}

async function write(spool: Spool, count = 3): Promise<Segment> {
  const segment = await spool.write(rows(0, count));
  if (!segment) throw new Error('It wrote nothing');
  return segment;
}

describe('A spool', () => {
  it('returns what was written in order, by any writer', async () => {
    const [one, other] = [await openTestSpool(), await openTestSpool()];
    const same = await openTestSpool(one.folder);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const written: (Segment | undefined)[] = [];
    for (let n = 0; n < 20; n++) {
      written.push(await (n % 2 ? one : same).write(rows(n, 2), { coversMs: 500 }));
      vi.advanceTimersByTime(1); // milliseconds decide the order of two writers
    }
    const waiting = await one.waiting();
    expect(waiting).toEqual(written);
    expect(waiting[7]).toMatchObject({ points: 2, coversMs: 1000 });
    expect(await read(same, waiting[7])).toBe(rows(7, 2).join(''));
    expect(await other.waiting()).toEqual([]);
  });

  it('keeps the settings of points before them, and the periods for recorders', async () => {
    const spool = await openTestSpool();
    const settings = { ...UNKNOWN, weighting: 'A', statistic: 'sample', instrument: 'NL-52' } as const;
    const as = { settings, since: '1970-01-01T00:00:00.000000Z', isNewPeriod: true };
    const minute = '1970-01-01T00:00:00.000000Z';
    const head = { as, overload: { [minute]: 2 } };
    const segment = await spool.write(rows(0, 3), { head });
    const [withHead, silent]: SegmentRead[] = [{ count: 0 }, { count: 0 }];
    expect(await read(spool, segment, withHead)).toBe(rows(0, 3).join(''));
    expect([withHead?.count, readHead(withHead?.head ?? '')]).toEqual([3, head]);
    await read(spool, await write(spool), silent);
    expect(silent).toEqual({ count: 3, first: instantOf(0), last: instantOf(2000) });
    for (const other of ['#', '#{"weighting":"B"}', `#${'x'.repeat(5000)}`])
      expect(readHead(other)).toBeUndefined();
    const { statistic: _, ...older } = settings;
    expect(readHead(`#${JSON.stringify({ ...older, new_period: false })}`)).toBeUndefined();
    const noted = { overload: head.overload, corrections: { [minute]: -1.5 } }; // as recorders wrote them until 2026-11
    const written = JSON.stringify({ ...settings, since: as.since, new_period: true, ...noted });
    expect(readHead(`#${written}`)).toEqual(head);
    expect(await publishedPeriods(spool)).toEqual([]);
    const periods = [{ ...settings, since: as.since }];
    await publishPeriods(spool, periods);
    expect(await publishedPeriods(spool)).toEqual(periods);
    writeFileSync(join(spool.folder, 'periods.json'), '[{');
    expect(await publishedPeriods(spool)).toEqual([]);
  });

  it("sets aside files that no recorder wrote, and removes a killed recorder's leftovers after a day", async () => {
    const spool = await openTestSpool();
    writeFileSync(join(spool.folder, 'points.csv'), 'time\n');
    writeFileSync(join(spool.folder, '.writing-new'), '');
    writeFileSync(join(spool.folder, '.writing-old'), '');
    utimesSync(join(spool.folder, '.writing-new'), new Date(), new Date()); // by the clock of this process
    utimesSync(join(spool.folder, '.writing-old'), 0, 0);
    const segment = await write(spool);
    expect(await spool.tidy()).toEqual(['points.csv']);
    expect(filesOf(spool)).toEqual(['.writing-new', segment.name, 'points.csv.set-aside']);
    expect(await spool.tidy()).toEqual([]);
  });

  it('notifies of a new segment', async () => {
    const spool = await openTestSpool();
    let calls = 0;
    const ending = new AbortController();
    spool.watch(() => (calls += 1), ending.signal);
    await write(await openTestSpool(spool.folder));
    await expect.poll(() => calls).toBeGreaterThan(0);
    ending.abort();
  });

  it('is refused if the folder cannot be written', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(await messageOf(openTestSpool(join(file, 'spool')))).toBe(
      `The spool folder ${join(file, 'spool')} cannot be written: set DATA_DIR`,
    );
  });
});
