// service.info: the service, its storage and its station.
import { MOST_CHECKS } from '../../contract/calibrations.ts';
import { aheadOf, nextInstant } from '../../contract/instant.ts';
import { MOST_PERIODS } from '../../contract/periods.ts';
import { newestTime, spacing, timeSpan } from '../../points/point-times.ts';
import type { Context } from '../context.ts';
import { recordingPeriods } from '../periods.ts';
import { ageOf, stationState } from '../stations/station-state.ts';
import { pointsAhead } from '../stats/quality/points-dated-ahead.ts';
import { documented, light, operation } from '../trpc.ts';
import { InfoInput, InfoOutput } from './contract.ts';
import { calibrationChecks, historySpan, storeInfo } from './query.ts';

export const serviceInfo = operation(
  '/service/info',
  'The service, its points and its station',
  'Versions, the storage and retention of points, the oldest and the newest point, and how points were recorded. Also the location with its time zone, limits and calibration, and the recorder that the service runs.',
  { cache: 'momentary' },
)
  .input(InfoInput)
  .output(documented(InfoOutput))
  .use(light)
  .query(async ({ ctx }) => {
    const { name, timeZone, limits, calibrationOffsetDb, ...judgement } = ctx.site;
    const { database, layout, rollups, rollup_refresh, ...retention } = await storeInfo(ctx);
    return {
      version: ctx.version,
      database,
      layout,
      rollups,
      rollup_refresh,
      ...(await recordingNow(ctx)),
      ...retention,
      place_name: name,
      time_zone: timeZone,
      limits,
      calibration_offset_db: calibrationOffsetDb,
      assess: judgement.assess,
      uncertainty_db: judgement.uncertaintyDb,
      min_measured_percent: judgement.minMeasuredPercent,
      measurement: judgement.measurement,
      calibrations: await calibrationChecks(ctx, MOST_CHECKS),
      periods: await recordingPeriods(ctx.db, MOST_PERIODS),
      recorder: ctx.recorder(),
    };
  });

async function recordingNow(ctx: Context) {
  const { now } = ctx;
  const span = await timeSpan(ctx.db);
  const isAhead = span.newest !== null && span.newest >= aheadOf(now);
  const newest = isAhead ? ((await newestTime(ctx, aheadOf(now))) ?? null) : span.newest;
  const ahead = isAhead ? await pointsAhead(ctx.db, () => aheadOf(now)) : { count: 0, newest: null };
  // a search back from here finds the same points as from now, but sooner
  const until = newest === null ? null : (nextInstant(newest) ?? null);
  return {
    ...span,
    ...(await historySpan(ctx)),
    newest_age_seconds: newest === null ? null : ageOf(newest, now),
    ahead_count: ahead.count,
    ahead_until: ahead.newest,
    state: await stationState(ctx, newest, now, () => spacing(ctx, until, now)),
  };
}
