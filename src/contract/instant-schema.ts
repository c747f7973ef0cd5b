// Instants as schemas: what a caller writes, and what the service writes.
import { z } from 'zod';
import { INSTANT_ALLOWED, parseAbsolute, parseInstant } from './instant.ts';
import { must } from './messages.ts';

const SOME_NOW = '2026-01-01T00:00:00.000000Z';

/** A time as a caller writes it: {@link INSTANT_ALLOWED}. */
export const InstantInput = z
  .string(must(INSTANT_ALLOWED))
  .refine((text) => parseInstant(text, SOME_NOW) !== undefined, must(INSTANT_ALLOWED));

/** A time as the service writes it: `2026-01-01T00:00:00.123456Z`, always UTC and six digits. */
export const Instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
  .refine((text) => parseAbsolute(text) === text) // the pattern has 31 February too
  .meta({
    format: 'date-time',
    examples: ['2026-01-01T00:00:00.123456Z'],
  });
