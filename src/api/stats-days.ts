// stats.days: noise indicators by local day.
import { DaysInput, DaysOutput, MAX_DAYS } from '../contract/days.ts';
import { scaleOfAnswer } from '../queries/periods.ts';
import { days as readDays } from '../queries/statistics/days.ts';
import { readInterval } from './interval-and-cursor.ts';
import { localDays } from './local-days.ts';
import { operation } from './operation.ts';

export const days = operation({
  name: 'stats.days',
  kind: 'json',
  summary: 'Noise indicators by local day',
  description:
    'Lday, Levening, Lnight and Lden of Directive 2002/49/EC for each day of a time zone, of the whole interval, and of its whole days, with how much of each was measured.',
  input: DaysInput,
  output: DaysOutput,
  rows: 'days',
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const { time_zone, day_start, evening_start, night_start } = input;
    const interval = readInterval(input, context.now);
    const hours = { day_start, evening_start, night_start };
    const local = localDays(interval, time_zone, hours, MAX_DAYS);
    const nominal = [
      evening_start - day_start,
      night_start - evening_start,
      24 - night_start + day_start,
    ] as const;
    const found = await readDays(context, interval, local, nominal, context.now);
    const scale = await scaleOfAnswer(context, interval);
    return { kind: 'json', value: { ...interval, time_zone, ...hours, scale, ...found } };
  },
});
