// Notes how points were recorded, in the transaction that stores them.
import { sql } from 'drizzle-orm';
import { instantOfMicros, microsOf } from '../../contract/instant.ts';
import type { Period, PeriodSettings } from '../../contract/periods.ts';
import { compile, parameter } from '../../db/compile.ts';
import type { Run } from '../../db/database.ts';
import { ALL_PERIODS, periodColumns, putPeriod, UNKNOWN } from '../../db/periods.ts';
import { describeLevels, hasOtherUnit, isKnown, isSame, periodAt, type RecordedAs } from './recorded-as.ts';

/** Points that were recorded alike, in order. */
export interface Recorded {
  readonly as: RecordedAs;
  /** The times of the first and the last of them, canonical. */
  readonly first: string;
  readonly last: string;
}

export interface Noted {
  readonly isChanged: boolean;
  /** What the user should know. */
  readonly warnings: readonly string[];
}

const inForce = compile(sql`
  select ${periodColumns} from audio_data_periods where since <= ${parameter('time')}::timestamptz
  order by audio_data_periods.since desc limit 1`).text;
const LOCK = 'lock table audio_data_periods in share row exclusive mode';
const REMOVE = 'delete from audio_data_periods where since = $1::timestamptz';
const HAS_POINTS =
  'select exists (select from audio_data where time >= $1::timestamptz and time < $2::timestamptz) as found';

/**
 * Begins a period at the first point of each, unless one that is alike holds there. What held at the end of the points
 * holds after it, where later points are: they may have been stored before.
 *
 * @param run in the transaction, after the points were stored
 */
export async function notePeriods(run: Run, recorded: readonly Recorded[]): Promise<Noted> {
  const parts = recorded.map(({ as, first, last }) => ({
    as,
    first,
    start: as.since ?? first,
    end: instantOfMicros(microsOf(last) + BigInt(as.settings.interval_ms ?? 0) * 1000n),
  }));
  const [only] = parts;
  if (!only) return { isChanged: false, warnings: [] };
  const [now] = parts.length > 1 ? [] : await run<Period>(inForce, [only.end]);
  if (now && now.since <= only.start && isSame(now, only.as.settings))
    return { isChanged: false, warnings: [] };

  await run(LOCK, []);
  const table = await openPeriods(run);
  const held = parts.map(({ end }) => table.at(end));
  const warnings: string[] = [];
  for (const [place, { as, first, start, end }] of parts.entries()) {
    const { settings, isNewPeriod } = as;
    const before = table.at(start);
    if (!isSame(before, settings)) {
      const previous = before && table.beforeThat(before);
      // what was restated at the end of the points before, which go on here
      if (before && previous && isSame(previous, settings) && !(await table.hasPoints(before.since, start)))
        await table.remove(before);
      else {
        await table.put(start, settings);
        if (!isNewPeriod && isKnown(before) && hasOtherUnit(before, settings))
          warnings.push(
            `Warning: a new period begins at ${start}: ${describeLevels(settings)}, after ${describeLevels(before)}.`,
          );
      }
    }
    for (let between = table.at(first); between && !isSame(between, settings); between = table.at(first)) {
      if (await table.hasPoints(between.since, first)) break; // another recorder's
      await table.remove(between);
    }
    const after = held[place];
    // the others say themselves how they were recorded
    const [next] = parts
      .map(({ first }) => first)
      .filter((time) => time >= end)
      .sort();
    if (!isSame(table.at(end), after) && (await table.hasPoints(end, next ?? 'now')))
      await table.put(end, after ?? UNKNOWN);
  }
  return { isChanged: table.isChanged(), warnings };
}

async function openPeriods(run: Run) {
  const read = () => run<Period>(ALL_PERIODS.text, []);
  let periods = await read();
  let isChanged = false;
  return {
    isChanged: () => isChanged,
    at: (time: string) => periodAt(periods, time),
    beforeThat: (period: Period) => periods[periods.indexOf(period) - 1],
    async put(since: string, settings: PeriodSettings): Promise<void> {
      isChanged = true;
      await putPeriod(run, { ...settings, since });
      periods = await read();
    },
    async remove({ since }: Period): Promise<void> {
      isChanged = true;
      await run(REMOVE, [since]);
      periods = periods.filter((period) => period.since !== since);
    },
    async hasPoints(from: string, to: string): Promise<boolean> {
      const [row] = await run<{ found: boolean }>(HAS_POINTS, [from, to]);
      return row?.found === true;
    },
  };
}
