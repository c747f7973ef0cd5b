// service.info: what the service is, and what it has.
import { MOST_PERIODS } from '../contract/periods.ts';
import { InfoInput, InfoOutput } from '../contract/service.ts';
import { recordingPeriods } from '../queries/periods.ts';
import { timeSpan } from '../queries/points/time-span.ts';
import { storeInfo } from '../queries/store-info.ts';
import { documented, get } from './meta.ts';
import { light, procedure } from './trpc.ts';

export const info = procedure
  .meta({
    openapi: get(
      '/service/info',
      'What this service is, and what it has',
      'Versions, how points are stored and for how long, the first and the last of them, and how they were recorded. The place with its time zone, limits and calibration, and the recorder that the service runs.',
    ),
    cache: 'momentary',
  })
  .input(InfoInput)
  .output(documented(InfoOutput))
  .use(light)
  .query(async ({ ctx }) => {
    const { name, timeZone, limits, calibrationOffsetDb } = ctx.site;
    const { database, layout, rollups, rollup_refresh, ...retention } = await storeInfo(ctx);
    return {
      version: ctx.version,
      database,
      layout,
      rollups,
      rollup_refresh,
      ...(await timeSpan(ctx.db)),
      ...retention,
      place_name: name,
      time_zone: timeZone,
      limits,
      calibration_offset_db: calibrationOffsetDb,
      periods: await recordingPeriods(ctx.db, MOST_PERIODS),
      recorder: ctx.recorder(),
    };
  });
