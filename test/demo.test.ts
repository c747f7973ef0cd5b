// The demo: its past, its live points, and its folder. `demo.soak.ts` kills it during a whole day.
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { timeZoneClock } from '../src/contract/time-zone-clock.ts';
import { openPglite } from '../src/database/pglite.ts';
import { LatestOutput } from '../src/operations/audio/latest/contract.ts';
import { AgainstLimitsOutput } from '../src/operations/stats/limits/contract.ts';
import { lastNight } from '../src/page/state/calendar-intervals.ts';
import { demoFeed, PAST_MS, pastHours } from '../src/recorder/demo/demo-feed.ts';
import { start, temporaryFolder } from './process.ts';

/** The points of the past 33 hours. */
const PAST = PAST_MS / 1000;

describe('The demo', () => {
  it('fills in the missing past, and continues from there', async () => {
    const db = await openPglite({ template: inject('pgliteTemplate') });
    onTestFinished(() => db.close());
    const lines: string[] = [];
    const fill = (to: string, pastMs = 600_000) =>
      demoFeed(db, timeZoneClock('UTC'), async () => {}).fillLastDay(to, (line) => lines.push(line), pastMs);
    await db.run(`insert into audio_data (time) values ('2026-05-05T11:49:59.000000Z')`); // older than that past
    expect(await fill('2026-05-05T12:00:00.000000Z')).toBe(600);
    await db.run(`delete from audio_data
      where time >= '2026-05-05T11:53:00Z' and time < '2026-05-05T11:54:00Z'`);
    lines.length = 0;
    expect(await fill('2026-05-05T12:01:00.200000Z')).toBe(120);
    expect(lines[0]).toContain('120 missing points from 2026-05-05T11:53:00.000000Z');
    expect(await fill('2026-05-05T12:01:00.400000Z')).toBe(0);
    const steps = await db.run(`select count(*)::int, min(step)::text, max(step)::text from
      (select time - lag(time) over (order by time) as step from audio_data) as steps`);
    expect(steps).toEqual([{ count: 661, min: '00:00:01', max: '00:00:01' }]);
  });

  it.each(['UTC', 'Europe/Vienna', 'America/St_Johns'])(
    'has points of all of last night at any hour in %s',
    (zone) => {
      const night = { start: 22 * 60, end: 6 * 60 };
      for (const day of ['2026-03-28T00:00:00Z', '2026-05-05T00:00:00Z', '2026-10-24T00:00:00Z'])
        for (let minute = 29; minute < 2 * 1440; minute += 30) {
          const start = Date.parse(day) + minute * 60_000;
          expect(lastNight(start, zone, night).from).toBeGreaterThanOrEqual(start - PAST_MS);
        }
    },
  );

  it.each(['UTC', 'Europe/Vienna', 'Asia/Kathmandu', 'America/St_Johns'])(
    'fills two weeks in steps of an hour, newest first, in %s',
    (zone) => {
      for (const start of ['2026-03-29T11:17:00.000000Z', '2026-11-02T05:00:00.000000Z']) {
        const hours = pastHours(timeZoneClock(zone), start);
        expect(hours[0]?.[1]).toBe(Date.parse(start) - PAST_MS);
        for (const [i, [from, to]] of hours.entries()) {
          expect(to - from).toBeLessThanOrEqual(3_600_000);
          if (i > 0) expect(to).toBe(hours[i - 1]?.[0]);
        }
        expect(Date.parse(start) - (hours.at(-1)?.[0] ?? 0)).toBeGreaterThan(13.9 * 86_400_000);
      }
    },
  );

  it('stores hail as an exclusion, once, and leaves out what the recorder missed before today', async () => {
    const db = await openPglite({ template: inject('pgliteTemplate') });
    onTestFinished(() => db.close());
    const fill = (to: string, pastMs: number) =>
      demoFeed(db, timeZoneClock('UTC'), async () => {}).fillLastDay(to, () => {}, pastMs);
    for (let i = 0; i < 2; i += 1) await fill('2026-05-03T05:00:00.000000Z', 3 * 3_600_000); // a Sunday
    expect(await db.run('select since::text, until::text, reason from audio_data_exclusions')).toEqual([
      { since: '2026-05-03 03:00:00+00', until: '2026-05-03 03:40:00+00', reason: 'hail' },
    ]);
    expect(await fill('2026-05-07T00:00:00.000000Z', 86_400_000)).toBe(86_400 - 75 * 60); // of Wednesday
    expect(await fill('2026-05-13T15:00:00.000000Z', 3_600_000)).toBe(3600); // on a Wednesday
  });

  // runs the whole command in its own process
  it('opens the page on its past and a live level, and keeps other points out of its folder', async () => {
    const folder = temporaryFolder();
    const DATA_DIR = join(folder, 'data-demo');
    cpSync(inject('dataFolder'), DATA_DIR, { recursive: true });
    writeFileSync(join(DATA_DIR, 'demo'), '');
    const db = await openPglite({ dataDir: DATA_DIR, points: 'made up' });
    // all but the last five minutes, at the demo's own times; without triggers, because the test needs no rollups
    await db.run('set session_replication_role = replica');
    await db.run(`insert into audio_data select to_timestamp(n), -20, 440, false from generate_series(
      floor(extract(epoch from now()))::bigint - ${PAST}, floor(extract(epoch from now()))::bigint - 300) n`);
    await db.close();

    const demo = start(['demo'], { QUERY_TIMEOUT_MS: '60000' }, folder);
    const address = await demo.address();
    await expect.poll(demo.output).toContain(`\n  ${address}/\n`);
    expect(demo.output()).toMatch(/Filling in [34]\d\d missing points from /);
    const newest = async () => {
      const { points } = LatestOutput.parse(
        await (await fetch(`${address}/api/v1/audio/latest?limit=1`)).json(),
      );
      return Date.parse(points[0]?.time ?? '');
    };
    await expect.poll(newest).toBeGreaterThan(Date.now() - 1500);
    // the limits are in dB(A), and so are the demo's levels
    const answer = await fetch(`${address}/api/v1/stats/limits?from=now-24h&to=now`);
    const { parts } = AgainstLimitsOutput.parse(await answer.json());
    expect(parts.map(({ state }) => state)).not.toContain(null);
    await expect.poll(demo.output).toContain('is ready'); // from here on it ends cleanly
    expect(await demo.stop()).toBe(0);
    expect(readdirSync(folder)).toEqual(['data-demo']);

    writeFileSync(
      join(folder, 'points.csv'),
      'time,rms_db,frequency_hz,is_silence\n2026-01-01T00:00:00Z,-20,,true\n',
    );
    const refused = start(['import', 'points.csv'], { DATA_DIR }, folder);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain(`${DATA_DIR} holds the demo's made-up points`);
    expect(refused.output().trim().split('\n')).toHaveLength(1);
  });

  it('refuses a folder with a database that it did not create', async () => {
    const DATA_DIR = temporaryFolder();
    mkdirSync(join(DATA_DIR, 'pg'));
    writeFileSync(join(DATA_DIR, 'pg/PG_VERSION'), '18');
    await expect(openPglite({ dataDir: DATA_DIR, points: 'made up' })).rejects.toThrow(
      `${DATA_DIR} holds a database that the demo did not make`,
    );
    expect(existsSync(join(DATA_DIR, 'demo'))).toBe(false);
  });
});
