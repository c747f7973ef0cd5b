// The demo, killed while it fills in the last day, and while it fills in the days before.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { timeZoneClock } from '../src/contract/time-zone-clock.ts';
import { openPglite } from '../src/database/pglite.ts';
import { InfoOutput } from '../src/operations/service/contract.ts';
import { SummaryOutput } from '../src/operations/stats/summary/contract.ts';
import { PAST_MS } from '../src/recorder/demo/demo-feed.ts';
import { courtyard, INTERVAL_MS } from '../src/recorder/demo/demo-points.ts';
import { start, temporaryFolder } from './process.ts';

const TIME_ZONE = 'America/St_Johns';
const DAY_MS = 86_400_000;

describe('The demo', () => {
  it('fills two weeks of its own folder even if killed meanwhile, and continues from there', async () => {
    const folder = temporaryFolder();
    const begin = () => start(['demo'], { TIME_ZONE, QUERY_TIMEOUT_MS: '60000' }, folder);
    const killed = begin();
    await expect.poll(killed.output, { timeout: 200_000 }).toContain('Filling in ');
    killed.kill('SIGKILL');
    await killed.ended;

    const first = begin();
    const address = await first.address();
    const answer = await fetch(`${address}/api/v1/stats/summary?from=now-33h&to=now&exclusions=ignore`);
    const summary = SummaryOutput.parse(await answer.json());
    expect(summary.point_count).toBeGreaterThan(PAST_MS / 1000 - 75 * 60 - 12.5 * 3600 - 200); // less failures
    expect(summary.max_db).toBeGreaterThan(-25);
    const pastDays = async () => {
      const info = InfoOutput.parse(await (await fetch(`${address}/api/v1/service/info`)).json());
      return (Date.now() - Date.parse(info.oldest ?? '')) / DAY_MS;
    };
    await expect.poll(pastDays, { timeout: 200_000 }).toBeGreaterThan(5);
    first.kill('SIGKILL');
    await first.ended;

    const second = begin();
    await second.address();
    await expect.poll(second.output, { timeout: 200_000 }).toContain('two weeks are complete');
    await expect.poll(second.output).toContain('is ready'); // from here on it ends cleanly
    expect(await second.stop()).toBe(0);
    expect(readdirSync(folder)).toEqual(['data-demo']);

    const db = await openPglite({ dataDir: join(folder, 'data-demo') });
    const [all] = await db.run<{ first: number; last: number }>(
      `select extract(epoch from min(time))::float8 * 1000 as first,
        extract(epoch from max(time))::float8 * 1000 as last from audio_data`,
    );
    expect((all?.last ?? 0) - (all?.first ?? 0)).toBeGreaterThan(14 * DAY_MS);
    const steps = await db.run<{ after: number; ms: number }>(
      `select extract(epoch from after)::float8 * 1000 as after, extract(epoch from time - after)::float8 * 1000 as ms
        from (select time, lag(time) over (order by time) as after from audio_data) as steps
        where time - after <> interval '1 s'`,
    );
    const momentAt = courtyard(timeZoneClock(TIME_ZONE));
    expect(steps.length).toBeGreaterThan(1); // two failures on Wednesdays, one on a Thursday, unless it is today
    for (const { after, ms } of steps) {
      expect(ms).toBeGreaterThan(INTERVAL_MS);
      for (let time = after + INTERVAL_MS; time < after + ms; time += INTERVAL_MS)
        expect(momentAt(time).isFailure, new Date(time).toISOString()).toBe(true);
    }
    const hail = await db.run<{ since: string }>(
      `select since::text from audio_data_exclusions where reason = 'hail' and until - since = interval '40 min'`,
    );
    expect([2, 3]).toContain(hail.length); // today and two weeks ago may both be Sundays
    expect(new Set(hail.map(({ since }) => since)).size).toBe(hail.length);
    await db.close();
  });
});
