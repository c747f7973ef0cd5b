// health.live and health.ready: for probes.
import { AppError } from '../../errors.ts';
import { documented, operation } from '../trpc.ts';
import { HealthInput, HealthOutput } from './contract.ts';

const OK = { status: 'ok' } as const;

export const healthLive = operation('/health/live', 'The process answers', 'Never touches the database.', {
  isProbe: true,
  errors: [400, 500],
})
  .input(HealthInput)
  .output(documented(HealthOutput))
  .query(() => OK);

export const healthReady = operation(
  '/health/ready',
  'The database answers',
  '503 if the database does not answer within one second, if it lacks the schema that this version needs, or if the service is stopping.',
  { isProbe: true, errors: [400, 500, 503] },
)
  .input(HealthInput)
  .output(documented(HealthOutput))
  .query(async ({ ctx }) => {
    if (ctx.isStopping) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
    await ctx.db.ready();
    return OK;
  });
