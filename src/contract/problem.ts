// The body of every error on REST: RFC 9457 problem details.
import { z } from 'zod';
import { text } from './fields.ts';

/** The page with a heading for each code. RFC 9457, 3.1.1, recommends a path from the root over a shorter one. */
export const ERRORS_PAGE = '/docs/errors';

/** Error codes of tRPC, and two that only HTTP has. */
const CODES = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'METHOD_NOT_SUPPORTED',
  'PAYLOAD_TOO_LARGE',
  'TOO_MANY_REQUESTS',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
  'INTERNAL_SERVER_ERROR',
  'NOT_ACCEPTABLE',
  'MISDIRECTED_REQUEST',
] as const;

export const Problem = z
  .object({
    type: text('Names the kind of error by the address of its description, such as /docs/errors#bad-request'),
    title: z.string().meta({ description: 'The name of the status', examples: ['Bad Request'] }),
    status: z.int().meta({ description: 'The HTTP status', examples: [400] }),
    detail: z.string().meta({ description: 'What went wrong', examples: ['Invalid parameters'] }),
    code: z.enum(CODES).meta({
      description: 'The kind of error, as in tRPC errors',
      examples: ['BAD_REQUEST'],
    }),
    errors: z
      .array(z.object({ parameter: z.string(), detail: z.string() }))
      .optional()
      .meta({ description: 'Every bad parameter, with the allowed values' }),
    request_id: text('Also in the x-request-id header and in the log'),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;
