// stats.why: what made each part of a day loud.
import { LIMITS_ALLOWED, parseLimits } from '../../../contract/limits.ts';
import { offsetOf } from '../../../contract/shown-scale.ts';
import { badParameter } from '../../../errors.ts';
import { readInterval } from '../../interval-and-cursor.ts';
import { measuredAnswer, onScale } from '../../on-scale.ts';
import { documented, heavy, operation } from '../../trpc.ts';
import { limitParts } from '../limits/limit-parts.ts';
import { MAX_WHY_DAYS, USUAL_PARTS, WhyInput, WhyOutput } from './contract.ts';
import { causesOf } from './query.ts';

const DAY_MS = 86_400_000;

export const statsWhy = operation(
  '/stats/why',
  'What made each part of a day loud',
  'For each part of a day in which a limit applies: tones, steady sound, bursts and events. Each has its time, level, third-octave bands and share of the energy, and the level without it.',
  { cache: 'revalidated' },
)
  .input(WhyInput)
  .output(documented(WhyOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { now, site } = ctx;
    const interval = readInterval(input, now);
    if (Date.parse(interval.to) - Date.parse(interval.from) > MAX_WHY_DAYS * DAY_MS)
      throw badParameter('from', `must be at most ${MAX_WHY_DAYS} days before \`to\``);
    const given = input.limits === undefined ? site.limits : parseLimits(input.limits);
    if (!given) throw badParameter('limits', LIMITS_ALLOWED);
    const isCompared = given.length > 0;
    const limits = isCompared ? given : (parseLimits(USUAL_PARTS) ?? []);
    const time_zone = input.time_zone ?? site.timeZone;
    const parts = limitParts(interval, time_zone, limits, site.assess, MAX_WHY_DAYS + 2).filter(
      ({ from }) => from < now,
    );
    return measuredAnswer(ctx, input, interval, async (store, scale) => {
      const { calibrationOffsetDb } = site;
      const facts = { limits, isCompared, judgement: site, timeZone: time_zone, calibrationOffsetDb, now };
      return {
        time_zone,
        offset_db: offsetOf(scale, calibrationOffsetDb),
        reason: scale.energy_unavailable ? ('energy_of_maxima' as const) : null,
        parts: scale.energy_unavailable ? [] : await causesOf(store, { ...facts, parts }),
      };
    });
  });
