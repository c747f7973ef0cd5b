// stats.days: noise indicators by local day.
import { DEFAULT_TIME_ZONE } from '../../../contract/parameters.ts';
import { offsetOf } from '../../../contract/shown-scale.ts';
import { badParameter } from '../../../errors.ts';
import { checkCount, readCount, shownThresholds } from '../../events/read-criteria.ts';
import { readInterval } from '../../interval-and-cursor.ts';
import { calendarSpans, localDays } from '../../local-days.ts';
import { measuredAnswer, onScale } from '../../on-scale.ts';
import { documented, heavy, operation } from '../../trpc.ts';
import { DaysInput, DaysOutput, MAX_DAYS } from './contract.ts';
import { days as readDays } from './query.ts';

export const statsDays = operation(
  '/stats/days',
  'Lday, Levening, Lnight and Lden by local day',
  'Lday, Levening, Lnight and Lden of Directive 2002/49/EC for each local day (or the means of months or years), for the interval, and for its whole days. Also how much of each was measured.',
  { cache: 'revalidated', rows: 'days' },
)
  .input(DaysInput)
  .output(documented(DaysOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { now, site } = ctx;
    const { by, time_zone = DEFAULT_TIME_ZONE, evening, evening_penalty_db, night_penalty_db } = input;
    const interval = readInterval(input, now);
    const hours = readHours(input);
    await checkCount(ctx, input);
    return measuredAnswer(ctx, input, interval, async (store, scale) => {
      const counted = await readCount(ctx, input, interval, scale);
      const offset_db = offsetOf(scale, site.calibrationOffsetDb);
      const penaltiesDb = [0, evening_penalty_db, night_penalty_db] as const;
      const found = await readDays(store, {
        interval,
        localDays: localDays(interval, time_zone, hours, MAX_DAYS),
        spans: by === 'day' ? undefined : calendarSpans(interval, time_zone, UNITS[by], hours.day_start),
        rating: { nominalHours: nominalHours(hours), penaltiesDb, offset_db },
        counted,
        now,
      });
      return {
        by,
        time_zone,
        day_start: input.day_start,
        evening_start: input.evening_start,
        night_start: input.night_start,
        evening,
        evening_penalty_db,
        night_penalty_db,
        ...shownThresholds(counted),
        offset_db,
        ...found,
      };
    });
  });

const UNITS = { month: '1mo', year: '1y' } as const;

type Hours = Record<'day_start' | 'evening_start' | 'night_start', number>;

const nominalHours = ({ day_start, evening_start, night_start }: Hours) =>
  [evening_start - day_start, night_start - evening_start, 24 - night_start + day_start] as const;

/** @returns the hours at which the parts of a day begin; without an evening, evening_start is night_start */
function readHours({ evening, ...given }: Hours & { readonly evening: 'on' | 'off' }): Hours {
  const { day_start } = given;
  const night_start = given.night_start === 0 ? 24 : given.night_start;
  if (night_start === 24 + day_start)
    throw badParameter(
      'night_start',
      `must be earlier than the start of the next day, which is ${day_start}`,
    );
  const evening_start = evening === 'on' ? given.evening_start : night_start;
  if (evening === 'on' && evening_start <= day_start)
    throw badParameter('evening_start', `must be later than day_start, which is ${day_start}`);
  const [before, name] = evening === 'on' ? [evening_start, 'evening_start'] : [day_start, 'day_start'];
  if (night_start <= before)
    throw badParameter('night_start', `must be later than ${name}, which is ${before}`);
  return { day_start, evening_start, night_start };
}
