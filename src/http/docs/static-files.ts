// What pages have in common: their headers, and how their files are sent.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../points/serialise.ts';
import { REVALIDATED_BY_ANYONE } from '../cache-control.ts';
import type { Service } from '../service.ts';

/** A page runs the service's own scripts and talks to the service, and nobody may frame it. */
export const pageHeaders = (styleSrc: readonly string[]) =>
  ({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: [...styleSrc],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: false, // for whoever ends TLS to say
  }) as const;

export const HTML = 'text/html; charset=utf-8';
export const SCRIPT = 'application/javascript; charset=utf-8';

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  send: Service['send'],
  type: string,
  body: Parts,
  cacheControl = REVALIDATED_BY_ANYONE,
): Promise<FastifyReply> {
  return send(request, reply, { type, cacheControl, body });
}

const PART_BYTES = 262_144;

export function partsOf(body: string | Buffer): Parts {
  const bytes = Buffer.from(body);
  return Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, i) =>
    bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES),
  );
}
