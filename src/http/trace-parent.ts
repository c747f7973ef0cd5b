// The trace that a caller is in, by its `traceparent` header (W3C Trace Context, 3.2).
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Later versions may append fields, version ff is forbidden, and ids of zeros alone are void. */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** @returns what the header says, undefined where there is none or a malformed one, which counts as none */
export function traceParentOf({ traceparent }: IncomingHttpHeaders) {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags] = FORM.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  if (version === '00' && traceparent.length !== 55) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Gives each line that is logged of a request the `trace_id` of its caller, where it has one. */
export function logTrace(request: FastifyRequest, reply: FastifyReply): void {
  const parent = traceParentOf(request.headers);
  if (parent) request.log = reply.log = request.log.child({ trace_id: parent.traceId });
}
