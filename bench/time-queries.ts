// Sends every kind of query to a service, and probes the service meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { PERIOD_SECONDS } from '../src/operations/stats/summary/contract.ts';
import type { Child } from './child.ts';
import { elapsed } from './compare.ts';
import { openConnection } from './connection.ts';
import { digits, type Figure, median, type Say } from './figure.ts';

const PROBE_EVERY_MS = 20;

/** A query over a window that ends `ago` seconds ago. */
interface TimedQuery {
  readonly name: string;
  /** True if it searches points for noise events or gaps. */
  readonly isSearch?: boolean;
  path(ago: number): string;
}

const MONTH = 30 * 86_400;

function queriesOver(days: number): TimedQuery[] {
  const length = Math.min(MONTH, days * 86_400);
  const over = (name: string, path: string, rest = ''): TimedQuery => ({
    name,
    path: (ago) => `${path}?from=now-${length + ago}s&to=now-${ago}s${rest}`,
  });
  const search = (name: string, path: string, rest = '') => ({ ...over(name, path, rest), isSearch: true });
  return [
    ...Object.keys(PERIOD_SECONDS).map((period) => ({
      name: `summary ${period}`,
      path: (ago: number) => `stats/summary?period=${period}&to=now-${ago}s`,
    })),
    over('series', 'stats/series'),
    over('days', 'stats/days', '&time_zone=Europe/Berlin'),
    over('frequencies', 'stats/frequencies'),
    over('why', 'stats/why'),
    over('distribution', 'stats/distribution'),
    ...['10', '1', '0.1', '0.001'].map((gap) =>
      search(`quality, gaps from ${gap} s`, 'stats/quality', `&min_gap_seconds=${gap}`),
    ),
    search('events', 'events/list'),
    search('events, long hold', 'events/list', '&threshold=-12&hold_seconds=3600&hysteresis=1'),
    search('events above background', 'events/list', '&above_background=20'),
    search('events, deep hysteresis', 'events/list', '&above_background=30&hysteresis=20'),
    search('loud points', 'events/loud', '&threshold=-8'),
    search('no loud point', 'events/loud', '&threshold=-0.1'),
    { name: 'latest 100', path: () => 'audio/latest' },
    {
      name: 'range of an hour',
      path: (ago) => `audio/range?from=now-${3600 + ago}s&to=now-${ago}s`,
    },
  ];
}

/**
 * Runs every query over the last `days` days, `runs` times each, every time over a new window.
 *
 * @param title names the database in the figures
 * @param heavyMs the bar for statistics and charts; noise events and gaps may take half a second
 */
export async function timeQueries(
  service: Child,
  { title, days, runs, heavyMs }: { title: string; days: number; runs: number; heavyMs: number },
  say: Say,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const probing = startProbe(service.url);
  const connection = openConnection(service.url);
  let peak = service.memory();
  for (const { name, isSearch, path } of queriesOver(days)) {
    say(`${title}: ${name}`);
    const times: number[] = [];
    let refused = '';
    for (let run = 1; run <= runs; run++) {
      const start = performance.now();
      const { status } = await connection.get(`/api/v1/${path(run * 613)}`);
      times.push(performance.now() - start);
      if (status !== 200) refused = `, answered ${status}`;
      peak = Math.max(peak, service.memory());
    }
    figures.push({
      work: `${title}: ${name}`,
      value: median(times, (ms) => ms),
      unit: 'ms',
      bar: { atMost: isSearch ? 500 : heavyMs },
      note: `first ${digits(times[0] ?? 0)} ms, longest ${digits(Math.max(...times))} ms${refused}`,
    });
  }
  connection.close();
  return [
    ...figures,
    {
      work: `${title}: health.live meanwhile, p99`,
      value: await probing.stop(),
      unit: 'ms',
      bar: { atMost: 20 },
    },
    { work: `${title}: memory of the service`, value: peak, unit: 'MB' },
  ];
}

/** Requests `health.live` continuously. */
function startProbe(url: string) {
  const connection = openConnection(url);
  const times: number[] = [];
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      times.push(await elapsed(() => connection.get('/api/v1/health/live')));
      await sleep(PROBE_EVERY_MS);
    }
  })();
  return {
    /** @returns the p99 of its answers, in ms */
    async stop() {
      isStopped = true;
      await done;
      connection.close();
      return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
    },
  };
}
