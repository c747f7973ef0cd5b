// What an operation is: declared once, it is a tRPC procedure, a REST route and an entry of the document.
import type { TRPCQueryProcedure, TRPCSubscriptionProcedure } from '@trpc/server';
import type { z } from 'zod';
import { CSV_TYPE, EVENT_STREAM, FORMATS, JSON_TYPE, NDJSON_TYPE } from '../contract/media-types.ts';
import { badInput, badParameter, type ErrorCode } from '../errors.ts';
import type { Answer, Answers, Kind } from './answers.ts';
import type { Context } from './context.ts';
import { plain, plainEvents } from './plain.ts';
import { type Table, tableOf } from './table.ts';
import { type ErrorShape, type Meta, procedure } from './trpc.ts';

/** The parameters of an operation: flat, as a query string is. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;
type InputSchema = z.ZodType<Parameters>;

/** A question that reads or sends more points than this is heavy. */
export const LIGHT_POINTS = 1000;

/** The kinds of error that an operation can end with. The others come before it is asked. */
export type Failure = Extract<
  ErrorCode,
  'BAD_REQUEST' | 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE' | 'GATEWAY_TIMEOUT'
>;

interface Words {
  /** The procedure, such as `audio.range`: REST has it at `/audio/range`, the document under the tag `audio`. */
  readonly name: `${string}.${string}`;
  readonly summary: string;
  readonly description: string;
}

export interface Declaration<K extends Kind, Input extends InputSchema, Output extends z.ZodType>
  extends Words {
  readonly kind: K;
  readonly input: Input;
  /** What the answer is as JSON; of a stream, what each event is. */
  readonly output: Output;
  /**
   * Whether a caller may keep the answer and ask later if it is still so. A momentary one is of use to shared
   * caches only. Never by default.
   */
  readonly cache?: Operation['cache'];
  /** Whether REST offers the points of the answer as lines too. */
  readonly hasLines?: boolean;
  /** The field of the answer whose rows REST offers as CSV too: an array of flat objects. */
  readonly rows?: keyof z.output<Output> & string;
  /** The media types that REST may answer a question with. All of its kind by default. */
  readonly typesFor?: (input: z.output<Input>) => readonly string[] | undefined;
  /** Whether a question waits in the queue of heavy ones. Not by default. */
  readonly isHeavy?: (input: z.output<Input>, context: Context) => boolean;
  /** Whether it is for probes: asked without a key, as often as they like, and never in a queue. */
  readonly isProbe?: boolean;
  readonly errors?: readonly Failure[];
  answer(context: Context, input: z.output<Input>): Promise<Answers<z.output<Output>>[K]>;
}

/** An input that an operation has read. */
export interface Question {
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** The media types that REST may answer it with. */
  readonly types: readonly string[];
  isHeavy(context: Context): boolean;
  answer(context: Context): Promise<Answer>;
}

/** An operation as the transports and the document see it. */
export interface Operation extends Words {
  readonly kind: Kind;
  readonly group: string;
  /** On REST, below its prefix. */
  readonly path: `/${string}`;
  readonly cache: 'revalidated' | 'momentary' | 'never';
  /** The media types that REST offers, the one for callers who do not say first. */
  readonly types: readonly string[];
  /** What of its answer is a table; undefined where nothing is. */
  readonly table: Table | undefined;
  readonly isProbe: boolean;
  readonly errors: readonly Failure[];
  readonly input: InputSchema;
  readonly output: z.ZodType;
  /** @throws AppError BAD_REQUEST that names each bad parameter */
  read(input: unknown): Question;
  /** The same for tRPC, whose answers are JSON, and files CSV. @throws AppError also where another file is asked for */
  readCall(input: unknown): Question;
}

/** Spelled out: a name here would be in the packed declarations of the client, with zod's types behind it. */
type ProcedureOf<K extends Kind, Input extends InputSchema, Output extends z.ZodType> = K extends 'stream'
  ? TRPCSubscriptionProcedure<{
      input: z.input<Input>;
      output: AsyncIterable<{ id: string; data: z.output<Output> }>;
      meta: Meta;
      errorShape: ErrorShape;
    }>
  : TRPCQueryProcedure<{
      input: z.input<Input>;
      output: z.output<Output>;
      meta: Meta;
      errorShape: ErrorShape;
    }>;

const TYPES: Readonly<Record<Kind, readonly string[]>> = {
  json: [JSON_TYPE],
  points: [JSON_TYPE],
  file: Object.values(FORMATS),
  stream: [EVENT_STREAM],
};

const CSV_ONLY = 'must be csv or left out through tRPC, which gives the text of CSV; REST gives the others';

/** @returns the tRPC procedure of an operation, which carries what the other transports need */
export function operation<K extends Kind, Input extends InputSchema, Output extends z.ZodType>(
  declared: Declaration<K, Input, Output>,
) {
  const { answer, isHeavy, typesFor, hasLines = false, rows, ...stated } = declared;
  const { name, kind, input, output } = stated;
  const [group = ''] = name.split('.');
  const described: Operation = {
    cache: 'never',
    isProbe: false,
    errors: ['BAD_REQUEST', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT'],
    ...stated,
    group,
    path: `/${name.replace('.', '/')}`,
    types: [...TYPES[kind], ...(hasLines ? [CSV_TYPE, NDJSON_TYPE] : rows ? [CSV_TYPE] : [])],
    table: rows && tableOf(output, rows),
    read(raw) {
      const { data, error } = input.safeParse(raw);
      if (error) throw badInput(error);
      return {
        operation: described,
        parameters: data,
        types: typesFor?.(data) ?? described.types,
        isHeavy: (context) => isHeavy?.(data, context) ?? false,
        answer: (context) => answer(context, data),
      };
    },
    readCall(raw) {
      const question = described.read(raw);
      if (kind === 'file' && !question.types.includes(CSV_TYPE)) throw badParameter('format', CSV_ONLY);
      return question;
    },
  };
  return Object.assign(procedureOf<K, Input, Output>(described), { operation: described });
}

/** The types say what tRPC would infer from the schemas, were they not parameters here. */
function procedureOf<K extends Kind, Input extends InputSchema, Output extends z.ZodType>(of: Operation) {
  const { path, summary, description, group } = of;
  const takes = procedure.input(of.input);
  const answer = (call: { ctx: Context; input: Parameters }) => of.readCall(call.input).answer(call.ctx);
  const built =
    of.kind === 'stream'
      ? takes.subscription(async function* (call) {
          yield* plainEvents(await answer(call));
        })
      : takes
          .meta({ openapi: { method: 'GET', path, summary, description, tags: [group], protect: false } })
          .output(of.output)
          .query(async (call) => plain(await answer(call)));
  return built as unknown as ProcedureOf<K, Input, Output>;
}
