// Services on databases that a test controls. Each service ends with its test.
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import type { Database, Values } from '../../src/database/database.ts';
import { type AppOptions, createApp } from '../../src/http/app.ts';
import { noRollups } from '../no-rollups.ts';
import { linesOf } from '../rows.ts';
import { ON_A_BUSY_MACHINE } from '../service.ts';

export async function appOn(db: Database, options: Partial<AppOptions> = {}) {
  const limits = { ...ON_A_BUSY_MACHINE, ...options.limits };
  const app = await createApp({ db, rollups: noRollups(), version: 'test', ...options, limits });
  onTestFinished(() => app.close());
  return app;
}

/** A logger, and the lines that it has written. */
export function logged(level: 'info' | 'debug') {
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the lines
  const lines: any[] = [];
  return { lines, logger: pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) }) };
}

/** @returns the URL of a listening service */
export async function serviceOn(db: Database, options?: Partial<AppOptions>): Promise<string> {
  return (await appOn(db, options)).listen({ host: '127.0.0.1', port: 0 });
}

/** A database that fails every call in the same way. */
export function failing(error: unknown = new Error('Not expected')): Database {
  const fail = () => Promise.reject(error);
  return { query: fail, transaction: fail, ready: fail, close: async () => {} };
}

/** A database without points. */
export const empty: Database = {
  ...failing(),
  query: async () => [],
  ready: async () => {},
};

/** A statement that waits. `answer` returns this many points, one by default. */
interface Statement {
  readonly values: Values;
  answer(points?: number): void;
  fail(error: unknown): void;
}

/** The answer to a statistics statement: zero points in no bucket, overridden by the given fields. */
export const statisticsRow = (row: object) => ({
  parts: [
    {
      rows: [
        { index: [], point_count: 0, level_count: 0, silence_count: 0, max_db: null, min_db: null, ...row },
      ],
      versions: [],
    },
  ],
  annotations: '',
});

/** A database that answers statements when the test says so, with the list of them. */
export function held() {
  const waiting: Statement[] = [];
  const wait = <Answer>(values: Values, answered: (points: number) => Answer) =>
    new Promise<Answer>((resolve, fail) =>
      waiting.push({ values, answer: (points = 1) => resolve(answered(points)), fail }),
    );
  const db: Database = {
    ...failing(),
    query: <Row>({ name, label }: { name?: string; label?: string }, values: Values = {}) =>
      name === 'periods_between' || name === 'newest_of_history' || label === 'station_settings'
        ? Promise.resolve<Row[]>([])
        : wait(values, (points) => [{ ...statisticsRow({}), ...linesOf(points) } as Row]),
    ready: () => wait({}, () => undefined),
  };
  /** Waits for a statement, and answers it. */
  const answer = async (index: number, points?: number) => {
    await expect.poll(() => waiting.length).toBe(index + 1);
    waiting[index]?.answer(points);
  };
  return { db, waiting, answer };
}
