// Describes the messages that `--notify` posts to a webhook (src/notify/open-receiver.ts).
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
        '`watch` and `serve` with `--notify URL` post each message in order, and repeat it until it is accepted. Repeats have the same `id`.',
      tags: ['stations'],
      security: [],
      parameters: [
        {
          name: 'x-signature',
          in: 'header' as const,
          description:
            '`sha256=` and the HMAC-SHA256 of the body with `WEBHOOK_SECRET`, in hex; absent without a secret',
          schema: { type: 'string' as const, pattern: '^sha256=[0-9a-f]{64}$' },
        },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Message' }, examples } },
      },
      responses: {
        '2XX': { description: 'Accepted' },
        default: { description: 'The message is posted again. Redirects are not followed' },
      },
    },
  },
};
