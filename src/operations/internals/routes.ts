// Lists the routes of the procedures, for REST, the document and the client's declarations. Reads `_def` of tRPC 11, as
// trpc-to-openapi does, because tRPC has no public way from a procedure to its schemas.
import { z } from 'zod';
import { CSV_TYPE, EVENT_STREAM, JSON_TYPE } from '../../contract/media-types.ts';
import { appRouter } from '../router.ts';
import { type Meta, schemaOf } from '../trpc.ts';

export interface Route extends Meta {
  /** Such as `audio.range`. */
  readonly name: string;
  readonly group: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly isStream: boolean;
  readonly input: z.ZodType;
  /** The schema of the answer, or of a stream's events, as JSON. */
  readonly output: z.ZodType;
}

/** By procedure name, in the order of the document. */
export const routes: ReadonlyMap<string, Route> = new Map(
  Object.entries(appRouter._def.procedures).map(([name, procedure]) => [name, routeOf(name, procedure)]),
);

function routeOf(name: string, procedure: object): Route {
  const { type, meta, inputs: [input] = [], output }: Definition = Reflect.get(procedure, '_def');
  const { path, summary = '', description = '' } = meta?.openapi ?? {};
  const answer = meta?.stream?.event ?? output;
  if (path === undefined || !(input instanceof z.ZodType) || !(answer instanceof z.ZodType))
    throw new Error(`${name} has no path, no input or no output`);
  const texts = meta?.rows === undefined ? [JSON_TYPE] : [JSON_TYPE, CSV_TYPE];
  return {
    types: meta?.stream ? [EVENT_STREAM] : texts,
    ...meta,
    name,
    group: name.split('.')[0] ?? '',
    path,
    summary,
    description,
    isStream: type === 'subscription',
    input,
    output: schemaOf(answer),
  };
}

interface Definition {
  readonly type: string;
  readonly meta?: Meta;
  readonly inputs?: readonly unknown[];
  readonly output?: unknown;
}
