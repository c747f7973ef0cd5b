// The demo, killed while it fills in a whole day.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPglite } from '../src/database/pglite.ts';
import { SummaryOutput } from '../src/operations/stats/summary/contract.ts';
import { start, temporaryFolder } from './process.ts';

const [DAY, PAST] = [86_400, 118_800];

async function summary(address: string): Promise<SummaryOutput> {
  return SummaryOutput.parse(await (await fetch(`${address}/api/v1/stats/summary?period=24h`)).json());
}

describe('The demo', () => {
  it('fills its own folder even if killed meanwhile, and continues from there', async () => {
    const folder = temporaryFolder();
    const killed = start(['demo'], {}, folder);
    await expect.poll(killed.output, { timeout: 200_000 }).toContain('Filling in ');
    killed.kill('SIGKILL');
    await killed.ended;

    const first = start(['demo'], { QUERY_TIMEOUT_MS: '60000' }, folder);
    const address = await first.address();
    await expect.poll(first.output).toContain(`\n  ${address}/\n`);
    expect(first.output()).toContain(`Filling in ${PAST.toLocaleString('en')} missing points from `);
    const day = await summary(address);
    expect(day.point_count).toBeGreaterThan(DAY - 200); // the demo adds the newest points while it answers
    expect(day).toMatchObject({ min_db: -50 });
    expect(day.max_db).toBeGreaterThan(-10);
    expect(await first.stop()).toBe(0);

    const second = start(['demo'], {}, folder);
    await second.address();
    await expect.poll(second.output).toContain('is ready'); // from here on it ends cleanly
    expect(second.output()).toMatch(/the past 33 hours: \d{1,3} points are missing after /);
    expect(await second.stop()).toBe(0);
    expect(readdirSync(folder)).toEqual(['data-demo']);

    const db = await openPglite({ dataDir: join(folder, 'data-demo') });
    const steps = await db.run(`select distinct extract(epoch from step)::float8 as seconds from
      (select time - lag(time) over (order by time) as step from audio_data) as steps where step is not null`);
    expect(steps).toEqual([{ seconds: 0.5 }]);
    await db.close();
  });
});
