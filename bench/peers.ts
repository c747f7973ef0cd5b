// Measures the service over HTTP against psql, and DuckDB if it is installed, on the same points.
import { PERIOD_SECONDS } from '../src/operations/stats/summary/contract.ts';
import { startService } from './child.ts';
import { elapsed, figure } from './compare.ts';
import { openConnection } from './connection.ts';
import { type DuckDb, duckCsv, duckLatest, duckLoud, duckRange, duckSummary, openDuckDb } from './duckdb.ts';
import { type Figure, median, type Say } from './figure.ts';
import { copyPoints, openPsql, type Psql, selectPoints } from './psql.ts';
import { windowBefore } from './query-pairs.ts';
import { point } from './sql-by-hand.ts';

/** A query in the language of each peer; each round moves `to`, the end of its interval. */
interface PeerQuery {
  readonly name: string;
  path(to: string): string;
  duck(to: string): string;
  psql?(to: string): string;
  /** The bar, as a share of the fastest peer's time. */
  readonly ofBest: number;
  readonly aim: number;
  /** True if the answers are statistics, which must agree. */
  readonly isSummary?: boolean;
  readonly runs?: number;
}

const DAY = 86_400;

/** @param rare a level that about a thousand points of the month exceed */
function queries(rare: number): PeerQuery[] {
  const summary = (period: keyof typeof PERIOD_SECONDS, ofBest: number, aim: number): PeerQuery => {
    const window = (to: string) => windowBefore(to, PERIOD_SECONDS[period]);
    return {
      name: `summary ${period}`,
      path: (to) => `/api/v1/stats/summary?${new URLSearchParams({ period, to })}`,
      duck: (to) => duckSummary(window(to)),
      ofBest,
      aim,
      isSummary: true,
    };
  };
  const loud = (name: string, threshold: number, ofBest: number, aim: number): PeerQuery => {
    const month = (to: string) => windowBefore(to, 30 * DAY);
    const values = (to: string) => ({ ...month(to), threshold: String(threshold), limit: '1000' });
    return {
      name: `loud, ${name}, 30d`,
      path: (to) => `/api/v1/events/loud?${new URLSearchParams(values(to))}`,
      duck: (to) => duckLoud(month(to), threshold, 1000),
      ofBest,
      aim,
    };
  };
  const threeDays = (to: string) => windowBefore(to, 3 * DAY);
  const day = (to: string) => windowBefore(to, DAY);
  return [
    summary('10s', 1.5, 1),
    summary('1m', 1.3, 1),
    summary('1h', 0.6, 0.4),
    summary('6h', 0.25, 0.15),
    summary('24h', 0.065, 0.04),
    summary('7d', 0.012, 0.008),
    summary('30d', 0.004, 0.003),
    {
      name: 'latest 100',
      path: () => '/api/v1/audio/latest?limit=100',
      duck: () => duckLatest(100),
      psql: () => `select ${point} from audio_data order by audio_data.time desc limit 100;`,
      ofBest: 1.5,
      aim: 1,
    },
    {
      name: 'range of 10,000',
      path: (to) => `/api/v1/audio/range?${new URLSearchParams({ ...threeDays(to), limit: '10000' })}`,
      duck: (to) => duckRange(threeDays(to), 10_000),
      psql: (to) => selectPoints(threeDays(to)).replace(';', ' limit 10000;'),
      ofBest: 2,
      aim: 1,
    },
    loud('none', 0, 8, 4),
    loud('rare', rare, 8, 4),
    {
      name: 'a day as CSV',
      path: (to) => `/api/v1/export/csv?${new URLSearchParams({ ...day(to) })}`,
      duck: (to) => duckCsv(day(to)),
      psql: (to) => copyPoints(day(to), "'/dev/null'"),
      ofBest: 2,
      aim: 1,
      runs: 3,
    },
  ];
}

/** @returns a figure for each query, compared with the fastest peer's time in the same rounds */
export async function againstPeers(
  database: string,
  { to, rare, runs }: { to: string; rare: number; runs: number },
  say: Say,
): Promise<Figure[]> {
  await using duck = await openDuckDb(database, say);
  if (!duck) say('DuckDB is not installed: the peer is psql alone');
  await using service = await startService(database);
  using psql = openPsql(database);
  const connection = openConnection(service.url, { 'accept-encoding': 'identity' });
  try {
    const figures: Figure[] = [];
    for (const query of queries(rare)) {
      say(`${query.name} over HTTP`);
      const found = await timePeers(query, { connection, duck, psql }, to, query.runs ?? runs * 3);
      if (found) figures.push(found);
    }
    return figures;
  } finally {
    connection.close();
  }
}

interface Peers {
  readonly connection: ReturnType<typeof openConnection>;
  readonly duck: DuckDb | undefined;
  readonly psql: Psql;
}

async function timePeers(
  query: PeerQuery,
  peers: Peers,
  to: string,
  runs: number,
): Promise<Figure | undefined> {
  const { connection, duck, psql } = peers;
  const ours = async (end: string) => {
    let text = '';
    const read = (piece: Buffer) => {
      text += piece.toString('latin1');
    };
    const { status, opening } = await connection.get(query.path(end), query.isSummary ? read : undefined);
    if (status !== 200) throw new Error(`${query.name}: ${status} ${opening}`);
    return text;
  };
  const ways = {
    ...(duck && { DuckDB: (end: string) => duck.rows(query.duck(end)) }),
    ...(query.psql && { psql: (end: string) => psql.run(query.psql?.(end) ?? '') }),
  };
  if (Object.keys(ways).length === 0) return undefined;
  if (duck && query.isSummary) assertEqual(query.name, await ours(to), await duck.rows(query.duck(to)));
  const times = new Map<string, number[]>();
  const time = async (name: string, way: (end: string) => Promise<unknown>, end: string) =>
    times.set(name, [...(times.get(name) ?? []), await elapsed(() => way(end))]);
  for (let round = -3; round < runs; round++) {
    if (round === 0) times.clear(); // the earlier rounds were warm-up
    const end = windowBefore(to, 1.7 * (round + 3)).from;
    await time('ours', ours, end);
    for (const [name, way] of Object.entries(ways)) await time(name, way, end);
  }
  const middle = (name: string) => median(times.get(name) ?? [], (ms) => ms);
  const [best = ''] = Object.keys(ways).toSorted((a, b) => middle(a) - middle(b));
  const { ofBest, aim } = query;
  return {
    ...figure(`${query.name}, over HTTP`, 'ms', middle('ours'), middle(best), { ofRaw: ofBest }, best),
    aim: middle(best) * aim,
  };
}

const FIGURES = [
  'point_count',
  'avg_db',
  'max_db',
  'min_db',
  'leq_db',
  'l10_db',
  'l50_db',
  'l90_db',
  'dominant_frequency_hz',
  'silence_percent',
];

/** @throws an Error that names a figure if it differs by more than the rounding of a real */
function assertEqual(name: string, text: string, [theirs = []]: unknown[][]): void {
  const answer = JSON.parse(text);
  for (const [index, field] of FIGURES.entries()) {
    const [a, b] = [Number(answer[field]), Number(theirs[index])];
    if (!(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b))))
      throw new Error(`${name}: ${field} is ${a}, but ${b} in DuckDB`);
  }
}
