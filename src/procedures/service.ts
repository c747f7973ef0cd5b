// service.*: what this service is, and what it has.
import { InfoInput, InfoOutput } from '../contract/service.ts';
import { coalesced } from '../load/shared-answers.ts';
import { timeSpan } from '../queries/points/time-span.ts';
import { storeInfo } from '../queries/store-info.ts';
import { declared, operation, procedure, router } from './trpc.ts';

export const service = router({
  info: procedure
    .meta(
      operation({
        path: '/service/info',
        tag: 'service',
        summary: 'What this service is, and what it has',
        description:
          'Versions, how points are stored and for how long, the first and the last of them, and the calibration.',
        cache: 'momentary',
      }),
    )
    .input(InfoInput)
    .output(declared(InfoOutput))
    .query(
      coalesced(async ({ ctx }) => {
        const { database, layout, rollups, ...retention } = await storeInfo(ctx);
        return {
          version: ctx.version,
          database,
          layout,
          rollups,
          ...(await timeSpan(ctx)),
          ...retention,
          calibration_offset_db: ctx.calibrationOffsetDb,
        };
      }),
    ),
});
