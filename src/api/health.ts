// health.live and health.ready: for probes.
import { HealthInput, HealthOutput } from '../contract/health.ts';
import { AppError } from '../errors.ts';
import { operation } from './operation.ts';

const OK = { status: 'ok' } as const;

export const live = operation({
  name: 'health.live',
  kind: 'json',
  summary: 'The process answers',
  description: 'Never touches the database.',
  input: HealthInput,
  output: HealthOutput,
  isProbe: true,
  errors: ['INTERNAL_SERVER_ERROR'],
  answer: async () => ({ kind: 'json', value: OK }),
});

export const ready = operation({
  name: 'health.ready',
  kind: 'json',
  summary: 'The database answers',
  description:
    '503 unless the database answers within one second and has the schema that this version needs, and while the service stops.',
  input: HealthInput,
  output: HealthOutput,
  isProbe: true,
  errors: ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'],
  async answer({ db, isStopping }) {
    if (isStopping) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
    await db.ready();
    return { kind: 'json', value: OK };
  },
});
