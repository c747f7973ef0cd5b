// Describes what `--notify` posts to a webhook (src/notify/webhook.ts).
import { EXAMPLE_MESSAGES } from '../../contract/messages.ts';

const examples = Object.fromEntries(
  Object.entries(EXAMPLE_MESSAGES).map(([kind, value]) => [kind, { summary: value.title, value }]),
);

export const WEBHOOKS = {
  message: {
    post: {
      operationId: 'message',
      summary: 'A station has something to report',
      description:
        'Posted by `watch` and `serve` with `--notify URL`, in order, and again until it is accepted: `id` tells repeats.',
      tags: ['stations'],
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
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Message' }, examples } },
      },
      responses: {
        '2XX': { description: 'Accepted' },
        default: { description: 'Posted again; a redirect is not followed' },
      },
    },
  },
};
