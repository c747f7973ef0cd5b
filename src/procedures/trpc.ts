// What every procedure shares: its context, its errors, and how it is declared.
import { initTRPC, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import { JSON_TYPE } from '../contract/media-types.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Live } from '../live/live.ts';
import type { Leave } from '../load/fair-queue.ts';
import type { InFlight } from '../load/shared-answers.ts';
import type { Signal } from '../signal.ts';
import type { Store } from '../timescale/rollups-in-use.ts';

export interface Context extends Store {
  /** The clock of the request, read once. */
  readonly now: string;
  /** Of the service. */
  readonly version: string;
  /** The sound pressure level in dB that 0 dBFS stands for; null where that is not known. */
  readonly calibrationOffsetDb: number | null;
  /** What a file is called, without its ending: told by a procedure whose answer is one. */
  fileName?: string | undefined;
  readonly inFlight: InFlight;
  readonly live: Pick<Live, 'open'>;
  /** Whether the service is about to end. */
  readonly isStopping: boolean;
  /** How long all statements of a question may take, in milliseconds; undefined for as long as they like. */
  readonly questionTimeoutMs: number | undefined;
  /** Whether the request has a place for all its calls, which then wait for none. */
  readonly hasPlace: boolean;
  /**
   * Waits for the place that a call needs where much is asked for; undefined where it needs none.
   *
   * @throws AppError SERVICE_UNAVAILABLE
   */
  enter(path: string, input: unknown, signal: Signal | undefined): Promise<Leave> | undefined;
}

/** The error as callers may see it: whatever is not meant for them becomes "Internal server error". */
export function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TRPCError && getHTTPStatusCodeFromError(error) < 500) {
    if (error.cause instanceof z.core.$ZodError) return badInput(error.cause);
    return new AppError('BAD_REQUEST', error.message, { cause: error }); // tRPC's own refusal
  }
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error; // not tRPC's wrapping
  return new AppError('INTERNAL_SERVER_ERROR', 'Internal server error', { cause });
}

/** One error for each parameter: a value can break several rules, but every message says all of them. */
function badInput(cause: z.core.$ZodError): AppError {
  const details = new Map<string, string>();
  for (const issue of cause.issues) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.') || 'input'];
    for (const name of names) if (!details.has(name)) details.set(name, issue.message);
  }
  const errors = Array.from(details, ([parameter, detail]) => ({ parameter, detail }));
  return new AppError('BAD_REQUEST', 'Invalid parameters', { errors, cause });
}

/** The kinds of error that an operation can end with. The others come before it is asked. */
export type Failure = Exclude<
  ErrorCode,
  'UNAUTHORIZED' | 'NOT_FOUND' | 'METHOD_NOT_SUPPORTED' | 'TOO_MANY_REQUESTS'
>;

/** What an operation says of itself, for both transports and the document. */
export interface Declaration extends OpenApiMeta {
  /**
   * Whether a caller may keep the answer and ask later if it is still so. A momentary one is of use to shared
   * caches only.
   */
  readonly cache: 'revalidated' | 'momentary' | 'never';
  /** Whether it is a subscription, whose answer is a stream of events. */
  readonly isSubscription?: boolean | undefined;
  /** The media types that REST offers, the one for who does not say first. */
  readonly types: readonly string[];
  /** Whether the answer is a file, which is sent piece by piece. */
  readonly isStreamed?: boolean | undefined;
  /** How many points an answer reads or sends at most; undefined for few. Takes an input as the schema gives it. */
  readonly points?: ((input: never) => number) | undefined;
  /** Whether it is for probes: asked without a key, as often as they like. */
  readonly isProbe?: boolean | undefined;
  /** The kinds of error that it can end with. */
  readonly errors: readonly Failure[];
}

const t = initTRPC
  .context<Context>()
  .meta<Declaration>()
  .create({
    isDev: false, // stack traces stay inside, whatever NODE_ENV says
    errorFormatter: ({ shape, error }) => {
      const { message, errors } = publicError(error);
      return { ...shape, message, data: { ...shape.data, errors } };
    },
  });

export const router = t.router;
export const procedure = t.procedure;

/** What serialises to `T`: itself, or what has a `toJSON` that gives it. */
type SerialisesTo<T> =
  | T
  | { toJSON(): T }
  | (T extends AsyncIterable<infer Piece>
      ? AsyncIterable<SerialisesTo<Piece>>
      : T extends object
        ? { [Key in keyof T]: SerialisesTo<T[Key]> }
        : never);

/**
 * Declares what an answer is as JSON, without checking it: the type and the OpenAPI document come from the
 * schema, the cost of validating every row does not. In this process an answer may hold what serialises to that
 * (`Points`). The tests check the JSON of every answer against its schema.
 */
export function declared<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema>, SerialisesTo<z.output<Schema>>> {
  const unchecked = schema.clone();
  // tRPC takes the first of these that a schema has
  unchecked.parse = (value) => value as z.output<Schema>;
  unchecked.parseAsync = async (value) => value as z.output<Schema>;
  return unchecked as z.ZodType<z.output<Schema>, SerialisesTo<z.output<Schema>>>;
}

interface Words {
  path: `/${string}`;
  tag: string;
  summary: string;
  description: string;
}

/** Declares an operation: where REST has it, what the document says of it, and how its answer travels. */
export function operation({
  tag,
  cache = 'never',
  types = [JSON_TYPE],
  isStreamed,
  points,
  isProbe,
  isSubscription,
  errors = ['BAD_REQUEST', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT'],
  ...words
}: Words & Partial<Declaration>): Declaration {
  return {
    openapi: { method: 'GET', protect: false, tags: [tag], ...words },
    cache,
    types,
    isStreamed,
    points,
    isProbe,
    isSubscription,
    errors,
  };
}
