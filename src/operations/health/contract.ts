// health.live and health.ready: output. They accept any parameters and ignore them.
import { z } from 'zod';

export const HealthInput = z.object({}).prefault({});

export const HealthOutput = z
  .object({ status: z.literal('ok') })
  .meta({ id: 'Health', examples: [{ status: 'ok' }] });
