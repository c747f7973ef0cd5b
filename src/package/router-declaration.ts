// Declares the type of the router for the client's package: the contract alone, without the server or zod.
import { z } from 'zod';
import { ExportOutput } from '../operations/export/contract.ts';
import type { Route } from '../operations/internals/routes.ts';
import { block, comment, declarationText, type JsonSchema, typeName, typeText } from './type-text.ts';

const HEAD = `// Written by \`npm run build\` from the schemas of the service.
import type {
  TRPCBuiltRouter,
  TRPCDefaultErrorData,
  TRPCDefaultErrorShape,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from '@trpc/server';

export interface ParameterError {
  /** The parameter at fault, as the caller spelled it. */
  parameter: string;
  /** What is wrong with it, and what is allowed. */
  detail: string;
}
export interface ErrorData extends TRPCDefaultErrorData {
  /** Every bad parameter; undefined for other errors. */
  errors: readonly ParameterError[] | undefined;
}
export interface ErrorShape extends Omit<TRPCDefaultErrorShape, 'data'> {
  data: ErrorData;
}
type Query<Input, Output> = TRPCQueryProcedure<{
  input: Input;
  output: Output;
  meta: object;
  errorShape: ErrorShape;
}>;
type Subscription<Input, Event> = TRPCSubscriptionProcedure<{
  input: Input;
  output: AsyncIterable<{ id: string; data: Event }>;
  meta: object;
  errorShape: ErrorShape;
}>;
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  Operations
>;
`;

/** @returns a declaration file whose `AppRouter` infers the same types as the service's own */
export function routerDeclaration(routes: Iterable<Route>): string {
  const types = new Map<string, string>();
  const groups = Object.entries(Object.groupBy(routes, ({ group }) => group));
  const members = groups.map(
    ([group, each = []]) => `${group}: ${block(each.map((one) => procedureText(one, types)))};`,
  );
  return [HEAD, `type Operations = ${block(members)};\n`, ...types.values()].join('\n');
}

function procedureText(route: Route, types: Map<string, string>): string {
  const { name, isStream, output, summary, description } = route;
  const input = inputText(route, types);
  const answer = output === ExportOutput ? 'AsyncIterable<string>' : outputText(output, types);
  const procedure = isStream ? 'Subscription' : 'Query';
  const said = comment(`${summary}.\n\n${description}`);
  return `${said}${name.split('.')[1]}: ${procedure}<${input}, ${answer}>;`;
}

function inputText({ name, input }: Route, types: Map<string, string>): string {
  const schema = { ...z.toJSONSchema(input, { io: 'input' }), description: `The input of ${name}` };
  const words = name.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const short = `${words.at(-1)}Input`;
  const type = types.has(short) ? `${words.join('')}Input` : short;
  types.set(type, declarationText(type, schema, parameterWords));
  return schema.default === undefined ? type : `${type} | undefined`;
}

/** Describes a parameter: its meaning, its allowed numbers, and its default. */
function parameterWords(schema: JsonSchema): string {
  const { description, type, minimum, maximum, default: preset } = schema;
  const sentences = [description];
  if (type === 'number' && schema.enum) sentences.push(`One of ${schema.enum.join(', ')}`);
  if (minimum !== undefined && maximum !== undefined) sentences.push(`From ${minimum} to ${maximum}`);
  if (preset !== undefined) sentences.push(`${JSON.stringify(preset)} by default`);
  return sentences.join('. ');
}

function outputText(output: z.ZodType, types: Map<string, string>): string {
  const { $defs = {}, ...schema } = z.toJSONSchema(output);
  const words = ({ description, $ref }: JsonSchema) => description ?? $defs[typeName($ref)]?.description;
  for (const [id, each] of Object.entries($defs)) types.set(id, declarationText(id, each, words));
  return typeText(schema, words);
}
