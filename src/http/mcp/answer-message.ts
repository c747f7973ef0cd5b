// Answers a message of the Model Context Protocol over HTTP. Calls of tools run the procedures, as REST does.
import { createMcpHandler, originValidationResponse } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../../contract/media-types.ts';
import { AppError } from '../../errors.ts';
import type { Route } from '../../operations/internals/routes.ts';
import { holdBytes } from '../answer-bytes.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import { leavingOf, mayCall } from '../edge/caller.ts';
import { problemContent } from '../problem.ts';
import { callQuery } from '../rest.ts';
import { createAnswerWriter, send } from '../send.ts';
import type { Service } from '../service.ts';
import { createToolServer, type ToolAnswer } from './tool-server.ts';

/** @param origins of pages that may call it, besides those of the service; `*` for all */
export async function answerMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
  version: string,
  origins: readonly string[],
): Promise<FastifyReply> {
  const { headers, host, owner, station, body: parsedBody } = request;
  if (Array.isArray(parsedBody)) throw new AppError('BAD_REQUEST', 'Send one message per request');
  const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const init = { method: 'POST', headers: texts, signal: leavingOf(reply) };
  const message = new Request('http://localhost/mcp', init);
  const answer = async (route: Route, input: object): Promise<ToolAnswer> => {
    try {
      await holdBytes(request, reply, service.admission, [
        { path: route.name, getRawInput: async () => input },
      ]);
      const ctx = { ...service.contextOf(request, 'rest', JSON_TYPE), signal: message.signal };
      const text = createAnswerWriter(route)(await callQuery(route.name, input, ctx), JSON_TYPE);
      return { text, isError: false };
    } catch (error) {
      return { text: String(problemContent(error, request, reply).body), isError: true };
    }
  };
  const isOffered = (operation: string) => mayCall(operation, owner, station.name);
  const known = [...origins, `http://${host}`, `https://${host}`];
  const isKnown = origins.includes('*') || known.includes(headers.origin ?? `http://${host}`);
  const { fetch } = createMcpHandler(() => createToolServer(version, answer, isOffered), {
    maxSubscriptions: 0, // the tools never change
  });
  const refused = isKnown ? undefined : originValidationResponse(message, []);
  const response = refused ?? (await fetch(message, { parsedBody }));
  const type = response.headers.get('content-type');
  if (type === null) return reply.status(response.status).send();
  const body = Buffer.from(await response.arrayBuffer());
  return send(request, reply, { status: response.status, type, cacheControl: CACHE_CONTROL.never, body });
}
