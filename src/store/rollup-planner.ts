// Plans and runs queries for statistics: reads rollups where their buckets may be read, and the points elsewhere.
// What it gives adds up to what all the points give, except for the last digits of sums of floats.
import { createHash } from 'node:crypto';
import type { Range } from '../contract/instant.ts';
import { common, lengthOf, union, wholeBuckets, without } from '../contract/ranges.ts';
import { annotationsVersion } from '../db/annotation-memory.ts';
import { compileWithValues } from '../db/compile.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import { NotMigrated } from '../db/faults.ts';
import type { Rollup } from '../db/rollups.ts';
import { Outdated, type Stored, type Versions, versionsOf } from './histogram-cache.ts';
import { askState, type RollupState, type StateRow, stateOf, unreadable, withState } from './rollup-state.ts';
import { type Plan, type Sources, sourcesOf, spanOf, TEN_MINUTES } from './source-scans.ts';
import { type Check, excludedOf, type Store } from './store.ts';

/**
 * An attempt fails if its plan was by an outdated state: a bucket changed, an exclusion was made, a chunk was made, moved
 * or dropped.
 */
const ATTEMPTS = 4;

/** Whether the points of a range answer as fast as rollups. */
const isShort = ({ from, to }: Range) => to - from <= TEN_MINUTES;

/** What to read of the points, and of rollups where these are fresh, and what that answers. */
export interface Question<Row, Answer> {
  /** In order; no bucket reaches from one into another. */
  readonly ranges: readonly Range[];
  /** The rollups that it can read, longest buckets first. */
  readonly usable: readonly Rollup[];
  /** Which points of its ranges: those that no exclusion covers by default, those that one covers, or all. */
  readonly among?: 'counted' | 'excluded' | 'all';
  /** If only whole buckets of so many seconds count: those that an exclusion touches are left out. */
  readonly wholeSeconds?: number;
  /** Whether the buckets of histograms come from memory, and not from the statement. */
  readonly isStored?: boolean;
  /**
   * The select of its rows, which those of later questions see as `part_0`, `part_1`, ...
   *
   * @param excluded what its ranges leave out
   */
  select(sources: Sources, excluded: readonly Range[]): SQL;
  /**
   * @param rows what the select gives, as JSON. They are not checked
   * @param stored the histograms from memory
   */
  answer(rows: readonly Row[], stored: Stored, excluded: readonly Range[]): Answer | Promise<Answer>;
}

type AnyQuestion = Question<unknown, unknown>;
export type Questions<Answers extends readonly unknown[]> = readonly [
  ...{ [Each in keyof Answers]: Question<unknown, Answers[Each]> },
];

export async function answer<Answer>(store: Store, question: Question<unknown, Answer>): Promise<Answer> {
  const [found] = await answerAll<[Answer]>(store, [question]);
  return found;
}

/**
 * Answers some questions from one snapshot, each from the cheapest sources that give the exact answer.
 *
 * The text of the statement depends on which buckets may be read. It is planned by what earlier answers saw of that,
 * and reads it too: only one statement sees one state of the database. If the plan reads what may not be read, the
 * answer is dropped, and the question is put again, planned by the state that was seen. So with the exclusions, if the
 * store applies them.
 *
 * A snapshot for several statements would not do: it misses the rows that TimescaleDB has moved to its columnstore since.
 */
export async function answerAll<Answers extends readonly unknown[]>(
  store: Store,
  questions: Questions<Answers>,
): Promise<Answers>;
export async function answerAll(
  store: Store,
  questions: readonly AnyQuestion[],
): Promise<readonly unknown[]> {
  const { rollups } = store;
  const check = await rollups.check();
  const asked = questions.map((each) =>
    check.state === 'in use' && !isShort(spanOf(each.ranges)) ? each : { ...each, usable: [] },
  );
  // without rollups there is nothing to plan, but TimescaleDB may move the points meanwhile
  if (check.isHypertable || asked.some(({ usable }) => usable.length > 0)) {
    const answers = await answerFresh(store, asked, check).catch(unlessMissing);
    if (answers) return answers;
  }
  // not checked against the chunks: if one moves meanwhile, this is as good as TimescaleDB makes it
  for (let attempt = 1; ; attempt++) {
    const noted = rollups.annotations.known();
    const excluded = excludedOf(store);
    const plans = questions.map((question): Plan => ({ raw: countedIn(question, excluded), rollups: [] }));
    const { parts, annotations } = await runStatement(store, questions, { plans, excluded }, check);
    const isNoted = (await rollups.annotations.see(store.db, annotations)) && noted.version === annotations;
    if (isNoted || attempt === ATTEMPTS) return answersOf(store, questions, parts, excluded);
  }
}

/** @returns undefined if every attempt found its plan outdated */
async function answerFresh(store: Store, questions: readonly AnyQuestion[], check: Check) {
  const { memory, annotations } = store.rollups;
  const span = wholeOf(questions);
  let state = memory.recall(span) ?? (await askState(store.db, span));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const planned = state;
    const noted = annotations.known();
    const excluded = excludedOf(store);
    const plans = questions.map((question) =>
      planOf({ ...question, ranges: countedIn(question, excluded) }, planned),
    );
    const found = await runStatement(store, questions, { plans, excluded }, check, span);
    state = stateOf(found.state);
    memory.remember(span, state);
    const isNoted =
      (await annotations.see(store.db, found.annotations)) && noted.version === found.annotations;
    if (!holds(plans, planned, state) || !isNoted) continue;
    try {
      return await answersOf(store, questions, found.parts, excluded);
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
  return undefined;
}

async function answersOf(
  { db, rollups }: Store,
  questions: readonly AnyQuestion[],
  parts: readonly Part[],
  excluded: readonly Range[],
) {
  const answers: unknown[] = [];
  for (const [at, question] of questions.entries()) {
    const { rows = [], versions = [] } = parts[at] ?? {};
    answers.push(await question.answer(rows, rollups.histograms(db, versions), excluded));
  }
  return answers;
}

/** The parts of the ranges of a question that it reads. */
function countedIn(
  { ranges, among, wholeSeconds }: AnyQuestion,
  excluded: readonly Range[],
): readonly Range[] {
  if (among === 'all') return ranges;
  if (among === 'excluded') return common(ranges, excluded);
  if (excluded.length === 0) return ranges;
  const counted = without(ranges, excluded);
  return wholeSeconds === undefined ? counted : wholeBuckets(counted, wholeSeconds);
}

const wholeOf = (questions: readonly AnyQuestion[]) =>
  spanOf(union(...questions.map(({ ranges }) => ranges)));

/** Each rollup gets what those before it leave. */
export function planOf({ ranges, usable }: Pick<AnyQuestion, 'ranges' | 'usable'>, state: RollupState): Plan {
  let raw = ranges;
  const rollups = usable.map((rollup) => {
    const readable = without(raw, unreadable(state, rollup.seconds));
    const whole = wholeBuckets(readable, rollup.seconds);
    raw = without(raw, whole);
    return { ...rollup, ranges: whole };
  });
  return { raw, rollups };
}

/** Whether all that was planned by one state could be read in another. */
function holds(plans: readonly Plan[], planned: RollupState, state: RollupState): boolean {
  const isReadable = ({ seconds, ranges }: Plan['rollups'][number]) =>
    lengthOf(without(ranges, unreadable(state, seconds))) === lengthOf(ranges);
  return (
    [...state.chunks].every(([id, version]) => planned.chunks.get(id) === version) &&
    plans.every(({ rollups }) => rollups.every(isReadable))
  );
}

/** What a statement of statistics gives of one question. */
interface Part {
  readonly rows: readonly unknown[];
  readonly versions: Versions;
}

/**
 * Statements of short ranges have few texts, so they get names: the server parses each once a connection and keeps it.
 * Of longer ones it would keep a megabyte for each way to split one.
 *
 * @param span reads the state of the rollups there, too
 */
async function runStatement(
  { db }: Store,
  questions: readonly AnyQuestion[],
  { plans, excluded }: { plans: readonly Plan[]; excluded: readonly Range[] },
  { isHypertable, canExclude }: Check,
  span?: Range,
): Promise<{ parts: readonly Part[]; annotations: string; state: StateRow }> {
  const parts = questions.map((question, at) => {
    const sources = sourcesOf(
      plans[at] ?? { raw: [], rollups: [] },
      isHypertable,
      question.isStored ?? false,
    );
    const name = sql.raw(`part_${at}`);
    return {
      rows: sql`${name} as materialized (${question.select(sources, excluded)})`,
      json: sql`json_build_object('rows', (select coalesce(json_agg(${name}), '[]') from ${name}),
      'versions', ${versionsOf(sources.stored)})`,
    };
  });
  const [rows, json] = [parts.map(({ rows }) => rows), parts.map(({ json }) => json)];
  const select = sql`with ${sql.join(rows, sql`, `)}
  select json_build_array(${sql.join(json, sql`, `)}) as parts, ${annotationsVersion(canExclude)} as annotations`;
  const { statement, values } = compileWithValues(span ? withState(select, span) : select);
  const name = createHash('md5').update(statement.text).digest('base64url');
  const named = isShort(wholeOf(questions)) && { name: `statistics_${name}` };
  const [row] = await db.query<StateRow & { parts: readonly Part[]; annotations: string }>(
    { ...statement, ...named, label: 'statistics' },
    values,
  );
  if (!row) throw new Error('The statement of statistics gave no row');
  return { parts: row.parts, annotations: row.annotations, state: row };
}

/** If somebody drops a rollup meanwhile, the points still answer. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NotMigrated)) throw error;
}
