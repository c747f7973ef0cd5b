// Abandoned requests: the callers of a thousand requests leave, and the statements must end too.
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../test/cluster.ts';
import { openConnection } from '../connection.ts';
import type { Figure } from '../figure.ts';
import type { TestBed } from './test-bed.ts';

const REQUESTS = 1000;
const PER_SECOND = 50;
const STAY_MS = 100;
const LONGEST_MS = 30_000;

const OLDEST = `select coalesce(max(extract(epoch from clock_timestamp() - query_start)) * 1000, 0)::float8 as ms
  from pg_stat_activity where application_name = 'audio-metrics' and state = 'active'`;

export async function abandoned({ start, database, all, say }: TestBed): Promise<Figure[]> {
  const work = `${REQUESTS.toLocaleString('en')} abandoned requests`;
  say(work);
  await using service = await start();
  const { from, to } = all;
  const batch = (n: number) =>
    encodeURIComponent(
      JSON.stringify({ 0: { from, to, limit: 1 + (n % 10_000) }, 1: { period: '30d', to: `now-${n}s` } }),
    );
  const paths = [
    (n: number) => `/api/v1/stats/summary?period=30d&to=now-${n}s`,
    (n: number) => `/api/v1/stats/series?${new URLSearchParams({ from, to, max_points: String(100 + n) })}`,
    (n: number) =>
      `/api/v1/audio/range?${new URLSearchParams({ from, to, limit: String(1 + (n % 10_000)) })}`,
    (n: number) =>
      `/api/v1/events/loud?${new URLSearchParams({ threshold: '-50', limit: String(1 + (n % 10_000)) })}`,
    () => `/api/v1/export/csv?${new URLSearchParams({ from, to })}`,
    (n: number) => `/trpc/audio.range,stats.summary?batch=1&input=${batch(n)}`,
  ];
  return withClient(database, async (client) => {
    const oldest = async () => (await client.query<{ ms: number }>(OLDEST)).rows[0]?.ms ?? 0;
    let [longest, sent] = [0, 0];
    const sending = (async () => {
      for (; sent < REQUESTS; sent++) {
        const connection = openConnection(service.url);
        connection.get(paths[sent % paths.length]?.(sent) ?? '').catch(() => {});
        setTimeout(connection.close, STAY_MS);
        await sleep(1000 / PER_SECOND);
      }
    })();
    while (sent < REQUESTS) {
      longest = Math.max(longest, (await oldest()) - STAY_MS);
      await sleep(50);
    }
    await sending;
    const left = performance.now() + STAY_MS;
    while ((await oldest()) > 0 && performance.now() - left < LONGEST_MS) await sleep(20);
    const value = Math.max(0, performance.now() - left);
    return [
      {
        work: `${work}: oldest statement after its caller left`,
        value: longest,
        unit: 'ms',
        bar: { atMost: 1000 },
      },
      { work: `${work}: the last statement ended after`, value, unit: 'ms', bar: { atMost: 1000 } },
    ];
  });
}
