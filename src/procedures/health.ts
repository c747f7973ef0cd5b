// health.*: for probes.
import { HealthInput, HealthOutput } from '../contract/health.ts';
import { AppError } from '../errors.ts';
import { declared, operation, procedure, router } from './trpc.ts';

export const health = router({
  live: procedure
    .meta(
      operation({
        path: '/health/live',
        tag: 'health',
        isProbe: true,
        summary: 'The process answers',
        description: 'Never touches the database.',
        errors: ['INTERNAL_SERVER_ERROR'],
      }),
    )
    .input(HealthInput)
    .output(declared(HealthOutput))
    .query(() => ({ status: 'ok' as const })),

  ready: procedure
    .meta(
      operation({
        path: '/health/ready',
        tag: 'health',
        isProbe: true,
        summary: 'The database answers',
        description:
          '503 unless the database answers within one second and has the schema that this version needs, and while the service stops.',
        errors: ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'],
      }),
    )
    .input(HealthInput)
    .output(declared(HealthOutput))
    .query(async ({ ctx }) => {
      if (ctx.isStopping) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
      await ctx.db.ready();
      return { status: 'ok' as const };
    }),
});
