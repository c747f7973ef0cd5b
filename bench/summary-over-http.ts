// Measures a summary over HTTP against its statements in psql.
import { withLiterals } from '../src/database/postgres-copy.ts';
import { QUERY_SETTINGS, settingsSql } from '../src/database/session.ts';
import { summary } from '../src/operations/stats/summary/query.ts';
import { startService } from './child.ts';
import { elapsed } from './compare.ts';
import { openConnection } from './connection.ts';
import { digits, type Figure, median } from './figure.ts';
import type { Interval } from './points-table.ts';
import { openPsql } from './psql.ts';
import { windowBefore } from './query-pairs.ts';
import { inTurn } from './rounds.ts';
import { withService } from './server.ts';

/** The time that HTTP adds to a summary of the month before `to`: the difference between the medians, in ms. */
export async function summaryOverHttp(database: string, to: string, runs: number): Promise<Figure> {
  const statements = await statementsOfSummary(database, windowBefore(to, 30 * 86_400));
  await using service = await startService(database);
  using psql = openPsql(database);
  const connection = openConnection(service.url);
  const path = `/api/v1/stats/summary?${new URLSearchParams({ period: '30d', to })}`;
  const ways = {
    ours: async () => {
      const { status, opening } = await connection.get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${opening}`);
    },
    theirs: () => psql.run(statements.join('\n')),
  };
  await psql.run(`${settingsSql('set', QUERY_SETTINGS)};`);
  const time = (way: () => Promise<void>) => elapsed(way);
  await inTurn(3, ways, time); // to warm up
  const rounds = await inTurn(runs * 3, ways, time);
  connection.close();
  const { ours } = median(rounds, (round) => round.ours);
  const { theirs } = median(rounds, (round) => round.theirs);
  return {
    work: 'summary 30d over HTTP: on top of psql',
    value: ours - theirs,
    unit: 'ms',
    bar: { atMost: 3 },
    note: `${digits(ours)} against ${digits(theirs)} ms`,
  };
}

/** The SQL that the service runs for a summary, with its values as literals. */
function statementsOfSummary(database: string, interval: Interval): Promise<string[]> {
  return withService(database, async ({ db, rollups }) => {
    const texts: string[] = [];
    const noted: typeof db = {
      ...db,
      query: (statement, values = {}) => {
        texts.push(`${withLiterals(statement, values)};`);
        return db.query(statement, values);
      },
    };
    await summary({ db: noted, rollups }, interval);
    return texts;
  });
}
