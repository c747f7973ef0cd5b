// service.info: what the service is, and what it has.
import { MOST_PERIODS } from '../contract/periods.ts';
import { InfoInput, InfoOutput } from '../contract/service.ts';
import { recordingPeriods } from '../queries/periods.ts';
import { timeSpan } from '../queries/points/time-span.ts';
import { storeInfo } from '../queries/store-info.ts';
import { operation } from './operation.ts';

export const info = operation({
  name: 'service.info',
  kind: 'json',
  summary: 'What this service is, and what it has',
  description:
    'Versions, how points are stored and for how long, the first and the last of them, and how they were recorded. The place with its time zone, limits and calibration, and the recorder that the service runs.',
  input: InfoInput,
  output: InfoOutput,
  cache: 'momentary',
  async answer(context) {
    const { name, timeZone, limits, calibrationOffsetDb } = context.site;
    const { database, layout, rollups, rollup_refresh, ...retention } = await storeInfo(context);
    return {
      kind: 'json',
      value: {
        version: context.version,
        database,
        layout,
        rollups,
        rollup_refresh,
        ...(await timeSpan(context.db)),
        ...retention,
        place_name: name,
        time_zone: timeZone,
        limits,
        calibration_offset_db: calibrationOffsetDb,
        periods: await recordingPeriods(context.db, MOST_PERIODS),
        recorder: context.recorder(),
      },
    };
  },
});
