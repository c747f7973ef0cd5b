// Posts messages to a webhook, as src/http/docs/openapi-webhooks.ts describes.
import { createHmac } from 'node:crypto';
import { post } from './http-post.ts';
import type { Receiver, ReceiverIo } from './receiver.ts';

/** @param io its secret signs each body, as `X-Signature: sha256=<HMAC in hex>` */
export function openWebhook(url: URL, { webhookSecret }: ReceiverIo): Receiver {
  return {
    name: url.origin,
    async send(message, signal) {
      const body = JSON.stringify(message);
      const signature = webhookSecret && createHmac('sha256', webhookSecret).update(body).digest('hex');
      await post(url, signature ? { 'x-signature': `sha256=${signature}` } : {}, body, signal);
    },
    close: async () => {},
  };
}
