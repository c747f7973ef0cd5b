// stats.limits: how levels compare with limits by time of day.
import { LIMITS_ALLOWED, type Limit, parseLimits } from '../../../contract/limits.ts';
import { MAX_GAP_DAYS } from '../../../contract/statistics.ts';
import { badParameter } from '../../../errors.ts';
import { checkCount, readCount, shownThresholds } from '../../events/read-criteria.ts';
import { readInterval } from '../../interval-and-cursor.ts';
import { DAY } from '../../local-days.ts';
import { measuredAnswer, onScale } from '../../on-scale.ts';
import type { Site } from '../../stations/station.ts';
import { documented, heavy, operation } from '../../trpc.ts';
import { isLongForGaps } from '../coverage.ts';
import { AgainstLimitsInput, AgainstLimitsOutput, MAX_LIMIT_DAYS } from './contract.ts';
import { limitParts } from './limit-parts.ts';
import { againstLimits } from './query.ts';

export const statsLimits = operation(
  '/stats/limits',
  'How levels compare with limits by time of day',
  'For each limit, and for each part of a day in which it applies: the equivalent level, its excess over the limit, the minutes above the limit, and on request the noise events.',
  { cache: 'revalidated' },
)
  .input(AgainstLimitsInput)
  .output(documented(AgainstLimitsOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { now, site } = ctx;
    const judgement = { ...site, assess: input.assess ?? site.assess };
    const { assess, uncertaintyDb, minMeasuredPercent } = judgement;
    const interval = readInterval(input, now);
    if (Date.parse(interval.to) - Date.parse(interval.from) > MAX_LIMIT_DAYS * DAY)
      throw badParameter('from', `must be at most ${MAX_LIMIT_DAYS} days before \`to\``);
    const limits = readLimits(input.limits, site);
    const time_zone = input.time_zone ?? site.timeZone;
    const isByHour = limits.some((limit) => (limit.assess ?? assess) !== 'part');
    if (isByHour && isLongForGaps(interval))
      throw badParameter(
        'from',
        `must be at most ${MAX_GAP_DAYS} days before \`to\` if hours or quarters of hours are assessed`,
      );
    const parts = limitParts(interval, time_zone, limits, assess, MAX_LIMIT_DAYS + 2); // days in the zone may be shorter
    await checkCount(ctx, input);
    return measuredAnswer(ctx, input, interval, async (store, scale) => {
      const counted = await readCount(ctx, input, interval, scale);
      const found = await againstLimits(store, {
        interval,
        now,
        limits,
        parts,
        judgement,
        scale,
        calibrationOffsetDb: site.calibrationOffsetDb,
        counted,
      });
      return {
        time_zone,
        assess,
        uncertainty_db: uncertaintyDb,
        min_measured_percent: minMeasuredPercent,
        ...shownThresholds(counted),
        ...found,
        parts: input.parts === 'include' ? found.parts : [],
      };
    });
  });

function readLimits(text: string | undefined, site: Site): readonly Limit[] {
  const limits = text === undefined ? site.limits : parseLimits(text);
  if (!limits) throw badParameter('limits', LIMITS_ALLOWED);
  if (limits.length === 0)
    throw badParameter(
      'limits',
      'must be given if the station has no limits. To set limits, use LIMITS (for a station other than the default one: `station set NAME --limits`)',
    );
  return limits;
}
