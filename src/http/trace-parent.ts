// The trace of a caller, from its `traceparent` header (W3C Trace Context, 3.2).
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Later versions may append fields. Version ff and all-zero ids are invalid. */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** @returns the fields of the header; undefined if it is missing or malformed */
export function traceParentOf({ traceparent }: IncomingHttpHeaders) {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags] = FORM.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  if (version === '00' && traceparent.length !== 55) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Adds the caller's `trace_id`, if any, to each log line of a request. */
export function logTrace(request: FastifyRequest, reply: FastifyReply): void {
  const parent = traceParentOf(request.headers);
  if (parent) request.log = reply.log = request.log.child({ trace_id: parent.traceId });
}
