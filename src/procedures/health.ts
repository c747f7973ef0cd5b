// health.*: for probes.
import { HealthInput, HealthOutput } from '../contract/health.ts';
import { declared, operation, procedure, router } from './trpc.ts';

export const health = router({
  live: procedure
    .meta(operation('/health/live', 'health', 'The process answers', 'Never touches the database.'))
    .input(HealthInput)
    .output(declared(HealthOutput))
    .query(() => ({ status: 'ok' as const })),

  ready: procedure
    .meta(
      operation(
        '/health/ready',
        'health',
        'The database answers',
        '503 unless the database answers within one second and has the schema that this version needs.',
      ),
    )
    .input(HealthInput)
    .output(declared(HealthOutput))
    .query(async ({ ctx }) => {
      await ctx.db.ready();
      return { status: 'ok' as const };
    }),
});
