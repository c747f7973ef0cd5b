// The demo: its past, its live points, and its folder. `demo.soak.ts` kills it during a whole day.
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openPglite } from '../src/database/pglite.ts';
import { LatestOutput } from '../src/operations/audio/latest/contract.ts';
import { AgainstLimitsOutput } from '../src/operations/stats/limits/contract.ts';
import { lastNight } from '../src/page/state/calendar-intervals.ts';
import { fillPast, PAST_MS } from '../src/recorder/demo/demo-feed.ts';
import { start, temporaryFolder } from './process.ts';

/** The points of the past 33 hours. */
const PAST = (PAST_MS / 1000) * 2;

describe('The demo', () => {
  it('fills in the missing past, and continues from there', async () => {
    const db = await openPglite({ template: inject('pgliteTemplate') });
    onTestFinished(() => db.close());
    const lines: string[] = [];
    const fill = (to: string, pastMs = 600_000) => fillPast(db, to, (line) => lines.push(line), pastMs);
    await db.run(`insert into audio_data (time) values ('2026-05-05T11:49:59.500000Z')`); // older than that past
    expect(await fill('2026-05-05T12:00:00.000000Z')).toBe(1200);
    await db.run(`delete from audio_data
      where time >= '2026-05-05T11:53:00Z' and time < '2026-05-05T11:54:00Z'`);
    lines.length = 0;
    expect(await fill('2026-05-05T12:01:00.200000Z')).toBe(240);
    expect(lines[0]).toContain('240 points are missing after 2026-05-05T11:52:59.500000Z');
    expect(await fill('2026-05-05T12:01:00.400000Z')).toBe(0);
    const steps = await db.run(`select count(*)::int, min(step)::text, max(step)::text from
      (select time - lag(time) over (order by time) as step from audio_data) as steps`);
    expect(steps).toEqual([{ count: 1321, min: '00:00:00.5', max: '00:00:00.5' }]);
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

  // runs the whole command in its own process
  it('opens the page on its past and a live level, and keeps other points out of its folder', async () => {
    const folder = temporaryFolder();
    const DATA_DIR = join(folder, 'data-demo');
    cpSync(inject('dataFolder'), DATA_DIR, { recursive: true });
    writeFileSync(join(DATA_DIR, 'demo'), '');
    const db = await openPglite({ dataDir: DATA_DIR, points: 'made up' });
    // all but the last five minutes, at the demo's own times; without triggers, because the test needs no rollups
    await db.run('set session_replication_role = replica');
    await db.run(`insert into audio_data select to_timestamp(n / 2.0), -20, 440, false from generate_series(
      floor(extract(epoch from now()) * 2)::bigint - ${PAST}, floor(extract(epoch from now()) * 2)::bigint - 600) n`);
    await db.close();

    const demo = start(['demo'], { QUERY_TIMEOUT_MS: '60000' }, folder);
    const address = await demo.address();
    await expect.poll(demo.output).toContain(`\n  ${address}/\n`);
    expect(demo.output()).toMatch(/the past 33 hours: [67]\d\d points are missing after /);
    const newest = async () => {
      const { points } = LatestOutput.parse(
        await (await fetch(`${address}/api/v1/audio/latest?limit=1`)).json(),
      );
      return Date.parse(points[0]?.time ?? '');
    };
    await expect.poll(newest).toBeGreaterThan(Date.now());
    // the limits are in dB(A), and so are the demo's levels
    const answer = await fetch(`${address}/api/v1/stats/limits?from=now-24h&to=now`);
    const { parts } = AgainstLimitsOutput.parse(await answer.json());
    expect(parts.map(({ state }) => state)).not.toContain(null);
    await expect.poll(demo.output).toContain('is ready'); // from here on it ends cleanly
    expect(await demo.stop()).toBe(0);
    expect(readdirSync(folder)).toEqual(['data-demo']);

    writeFileSync(
      join(folder, 'points.csv'),
      'time,rms_db,frequency_hz,is_silence\n2026-01-01T00:00:00Z,,,true\n',
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
