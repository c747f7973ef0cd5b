// The route of the Model Context Protocol. Its code is loaded by the first request.
import type { FastifyInstance } from 'fastify';
import type { Service } from '../service.ts';

const MAX_MESSAGE_BYTES = 65_536;

export function mountMcp(
  app: FastifyInstance,
  service: Service,
  version: string,
  corsOrigins: readonly string[] = [],
): void {
  const options = { config: { transport: 'mcp' }, bodyLimit: MAX_MESSAGE_BYTES } as const;
  app.post('/mcp', options, async (request, reply) => {
    const { answerMessage } = await import('./answer-message.ts');
    return answerMessage(request, reply, service, version, corsOrigins);
  });
}
