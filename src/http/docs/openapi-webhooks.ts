// Describes what `npm run watch -- --webhook` posts (src/meter/noise-event-webhook.ts).
import { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { EXAMPLE_EVENT } from '../../contract/noise-events.ts';
import { Levels, Unit } from '../../contract/periods.ts';

/** What an event has here beside what `events.list` says of it. */
const Posted = z.object({
  id: z.string().meta({ description: 'The same each time that this event is posted' }),
  scale: z
    .object({
      levels: Levels.meta({
        description: 'Whether its levels are as they are stored, or sound pressure levels',
      }),
      unit: Unit.meta({ description: 'The unit of a level plus reference_db' }),
      reference_db: z.number().meta({ description: 'What to add to each level, dB' }),
    })
    .meta({ description: 'What its levels are relative to' }),
});

export const WEBHOOKS = {
  noiseEvent: {
    post: {
      operationId: 'noise-event',
      summary: 'A noise event has ended',
      description:
        'Posted by `npm run watch -- --webhook URL` in the order of the ends, and again until it is accepted, after 1 to 60 s: `id` tells repeats.',
      tags: ['events'],
      security: [],
      parameters: [
        {
          name: 'x-signature',
          in: 'header' as const,
          description:
            '`sha256=` and the HMAC of the body by `WEBHOOK_SECRET`, in hex; missing without a secret',
          schema: { type: 'string' as const, pattern: '^sha256=[0-9a-f]{64}$' },
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { allOf: [{ $ref: '#/components/schemas/NoiseEvent' }, createSchema(Posted).schema] },
            example: {
              ...EXAMPLE_EVENT,
              id: `${EXAMPLE_EVENT.start}~-10`,
              scale: { levels: 'stored', unit: 'dB(A)', reference_db: 95 },
            },
          },
        },
      },
      responses: {
        '2XX': { description: 'Accepted' },
        default: { description: 'Posted again; a redirect is not followed' },
      },
    },
  },
};
