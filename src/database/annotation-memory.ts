// Keeps periods and exclusions in memory, so that a query needs no statement to read them. Periods give a result its
// scale. Statistics leave exclusions out.
import type { Range } from '../contract/instant.ts';
import type { Period } from '../contract/periods.ts';
import { union } from '../contract/ranges.ts';
import type { Queries } from './database.ts';
import { compile, type SQL, sql } from './drizzle.ts';
import { periodColumns } from './periods.ts';
import { tables } from './schema.ts';

/** An expression whose value changes whenever a period or an exclusion changes. */
export const annotationsVersion = sql`concat_ws(';',
    (select string_agg(extract(epoch from since) || ' ' || xmin, ',' order by since) from ${tables.periods}),
    (select concat_ws(' ', count(*), max(id), sum(xmin::text::bigint)) from ${tables.exclusions}))`;

const version = compile(
  sql<{ version: string }>`select ${annotationsVersion} as version`,
  'annotations_version',
);
/** As text: JSON would round such large numbers. */
const micros = (time: SQL) => sql`((extract(epoch from ${time}) * 1000000)::bigint)::text`;
const all = compile(
  sql<Row>`select ${annotationsVersion} as version, (
    select coalesce(json_agg(period order by period.since), '[]') from (select ${periodColumns} from ${tables.periods}) as period
  ) as periods, (
    select coalesce(json_agg(json_build_array(${micros(sql`since`)}, ${micros(sql`until`)}) order by since), '[]')
    from ${tables.exclusions}
  ) as exclusions`,
  'all_annotations',
);

interface Row {
  readonly version: string;
  readonly periods: readonly Period[];
  readonly exclusions: readonly (readonly [since: string, until: string])[];
}

/** Immutable: each change gives a new object. */
export interface Annotations {
  readonly version: string;
  /** Oldest first. */
  readonly periods: readonly Period[];
  /** Sorted, without overlaps. */
  readonly exclusions: readonly Range[];
}

const NOTHING: Annotations = { version: '', periods: [], exclusions: [] };

export function createAnnotationMemory() {
  let known = NOTHING;
  /**
   * Reads the annotations again if a statement saw a version other than the known one.
   *
   * @param seen the statement's {@link annotationsVersion}
   * @returns whether the statement saw the annotations that are now known
   */
  async function see(db: Queries, seen: string): Promise<boolean> {
    if (known.version === seen) return true;
    const [found] = await db.query(all);
    if (found) known = { ...found, exclusions: rangesOf(found.exclusions) };
    return known.version === seen;
  }
  return {
    known: () => known,
    see,
    async begin(db: Queries): Promise<void> {
      if (known === NOTHING) await see(db, 'any');
    },
    async latest(db: Queries): Promise<Annotations> {
      const [found] = await db.query(version);
      if (found) await see(db, found.version);
      return known;
    },
  };
}

const rangesOf = (exclusions: Row['exclusions']) =>
  union(exclusions.map(([since, until]) => ({ from: BigInt(since), to: BigInt(until) })));
