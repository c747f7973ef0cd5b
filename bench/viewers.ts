// Measures a dashboard with a thousand viewers, through nginx with a shared cache.
import { withClient } from '../test/cluster.ts';
import { startNginx } from '../test/nginx.ts';
import { findProgram } from '../test/program.ts';
import { startService } from './child.ts';
import type { Benchmark } from './figure.ts';
import { startWithTable, storePoints, untilNow } from './points-table.ts';
import { noteOf, poll } from './pollers.ts';

const VIEWERS = 1000;
const SECONDS = 20;
/** Each viewer sends all of these every five seconds. */
const REQUESTS = [
  'audio/latest?limit=100',
  'stats/summary?period=1h',
  'stats/series?from=now-1h&to=now&max_points=120',
  'events/loud?from=now-1h&to=now&limit=20',
];
const ROUND_MS = 5000;

export const viewers: Benchmark = {
  usage: '\n  npm run bench -- viewers [--json FILE]',
  options: [],

  async run(_, say) {
    const nginxPath = findProgram('nginx');
    if (!nginxPath) throw new Error('Missing: nginx. Install it, or set PROGRAMS_BIN to its folder');
    await using server = await startWithTable(say, { shared_preload_libraries: 'pg_stat_statements' });
    await storePoints(server.url, untilNow(200_000), say);
    await withClient(server.url, (client) => client.query('create extension pg_stat_statements'));
    await using service = await startService(server.url, { SHARED_CACHE_SECONDS: '1' });
    const nginx = await startNginx(nginxPath, [service.url, service.url, service.url], { sharedCache: true });
    try {
      say(`${VIEWERS} viewers of ${REQUESTS.length} requests for ${SECONDS} s`);
      await withClient(server.url, (client) => client.query('select pg_stat_statements_reset()'));
      let sent = 0;
      const polled = await poll({
        clients: VIEWERS,
        seconds: SECONDS,
        everyMs: ROUND_MS / REQUESTS.length,
        url: nginx.url,
        path: () => `/api/v1/${REQUESTS[sent++ % REQUESTS.length]}`,
      });
      const calls = await callsOfEach(server.url);
      const work = `${VIEWERS.toLocaleString('en')} viewers of ${REQUESTS.length} requests`;
      return [
        { work: `${work}: errors`, value: polled.errors, unit: '', bar: { atMost: 0 }, ...noteOf(polled) },
        {
          work: `${work}: runs a second of the most frequent statement`,
          value: Math.max(...calls) / SECONDS,
          unit: '',
          bar: { atMost: 1 },
          note: `${polled.answers} answers, ${calls.join(' + ')} queries`,
        },
        {
          work: `${work}: p99`,
          value: polled.p99Ms,
          unit: 'ms',
          note: `median ${polled.p50Ms.toFixed(1)} ms`,
        },
      ];
    } finally {
      await nginx.stop();
    }
  },
};

/** How often each statement about points ran. Each request has its own statement. */
async function callsOfEach(url: string): Promise<number[]> {
  const { rows } = await withClient(url, (client) =>
    client.query(`
      select calls::int from pg_stat_statements join pg_database on pg_database.oid = dbid
      where datname = current_database() and query ~ 'audio_data' order by calls desc`),
  );
  const calls = rows.map((row) => row.calls);
  if (calls.length < REQUESTS.length) throw new Error('Not every request was sent');
  return calls;
}
