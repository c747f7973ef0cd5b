// stats.days: noise indicators by local day.
import { DaysInput, DaysOutput, MAX_DAYS } from '../contract/days.ts';
import { DEFAULT_TIME_ZONE } from '../contract/parameters.ts';
import { scaleOfAnswer } from '../queries/periods.ts';
import { days as readDays } from '../queries/statistics/days.ts';
import { readInterval } from './interval-and-cursor.ts';
import { localDays } from './local-days.ts';
import { documented, get } from './meta.ts';
import { onScale } from './on-scale.ts';
import { heavy, procedure } from './trpc.ts';

export const days = procedure
  .meta({
    openapi: get(
      '/stats/days',
      'Noise indicators by local day',
      'Lday, Levening, Lnight and Lden of Directive 2002/49/EC for each day of a time zone, of the whole interval, and of its whole days, with how much of each was measured.',
    ),
    cache: 'revalidated',
    rows: 'days',
  })
  .input(DaysInput)
  .output(documented(DaysOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { time_zone = DEFAULT_TIME_ZONE, day_start, evening_start, night_start } = input;
    const interval = readInterval(input, ctx.now);
    const hours = { day_start, evening_start, night_start };
    const local = localDays(interval, time_zone, hours, MAX_DAYS);
    const nominal = [
      evening_start - day_start,
      night_start - evening_start,
      24 - night_start + day_start,
    ] as const;
    const found = await readDays(ctx, interval, local, nominal, ctx.now);
    const scale = await scaleOfAnswer(ctx, interval);
    return { ...interval, time_zone, ...hours, scale, ...found };
  });
