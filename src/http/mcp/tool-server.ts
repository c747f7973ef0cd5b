// MCP: the queries as read-only tools for assistants. Loaded by the first request to /mcp, and by the command `mcp`.
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { badParameter } from '../../errors.ts';
import { type Route, routes } from '../../operations/internals/routes.ts';
import { publicProblem } from '../problem.ts';

/** The most points of an answer. More would fill the context of a model. */
const MAX_POINTS = 1000;
const Limit = z.int().min(1).max(MAX_POINTS);

/** Says what the descriptions of most tools would repeat. */
const INSTRUCTIONS = `Measurements of a microphone, or of several: stations_list has their names.
Times (from, to) are now, now-1h (s, m, h or d), or RFC 3339 with a zone, such as 2026-01-01T00:00:00+01:00, or dates such as 2026-10-01 with time_zone. Intervals include from and exclude to.
time_zone is an IANA name such as Europe/Vienna. Dates, days, limits and long buckets follow it.
levels=stored, the default, are dB relative to full scale: 0 is the loudest, and thresholds are negative. levels=absolute are sound pressure levels, and need a calibration.
exclusions=ignore also uses stretches that the operator excluded, such as rain.
A page has at most ${MAX_POINTS} points. While its next_cursor is not null, pass that as cursor, and keep the other arguments.
Prefer statistics and events to points. An error names the bad argument and the allowed values.`;

/** Parameters that only the instructions describe. */
const DESCRIBED_ONCE: ReadonlySet<string> = new Set(['levels', 'time_zone', 'exclusions']);

export interface ToolAnswer {
  /** The body that REST sends: the answer or a problem. */
  readonly text: string;
  readonly isError: boolean;
}

/** @param answer calls an operation. @param isOffered whether to list an operation */
export function createToolServer(
  version: string,
  answer: (route: Route, input: object) => Promise<ToolAnswer>,
  isOffered: (operation: string) => boolean = () => true,
): McpServer {
  const server = new McpServer({ name: 'audio-metrics', version }, { instructions: INSTRUCTIONS });
  for (const { route, schema, presets } of tools) {
    if (!isOffered(route.name)) continue;
    const { name, summary: title, description } = route;
    const shown = { title, description, inputSchema: asGiven(schema), annotations: { readOnlyHint: true } };
    server.registerTool(name.replace('.', '_'), shown, async (given) => {
      const input = { ...presets, ...Object(given) };
      const isRefused = 'limit' in presets && !Limit.safeParse(input.limit).success;
      const { text, isError } = isRefused ? badLimit() : await answer(route, input);
      return { content: [{ type: 'text', text }], isError };
    });
  }
  return server;
}

const tools = Array.from(routes.values())
  .filter(({ isStream, isProbe, group }) => !isStream && !isProbe && group !== 'export')
  .map((route) => {
    const schema = shortSchema(route.input);
    const { limit } = schema.properties;
    const isCapped = typeof limit === 'object' && limit.maximum === MAX_POINTS;
    return { route, schema, presets: isCapped ? { limit: limit.default } : {} };
  });

function shortSchema(input: z.ZodType) {
  const { $schema: _, default: _preset, properties = {}, ...schema } = z.toJSONSchema(input, { io: 'input' });
  const short = Object.entries(properties).map(
    ([name, property]) => [name, shortProperty(name, property)] as const,
  );
  return { ...schema, properties: Object.fromEntries(short) };
}

/** Keeps the first sentence of the description: the whole list must leave a model room for its work. */
function shortProperty(name: string, property: z.core.JSONSchema.BaseSchema | boolean) {
  if (typeof property !== 'object') return property;
  const { description, examples, pattern: _, minLength: _least, maxLength: _most, ...rules } = property;
  const [sentence] = description?.split(/[.:] /, 1) ?? [];
  const isChosen = rules.enum !== undefined || rules.default !== undefined;
  const isCapped = name === 'limit' && Number(rules.maximum) > MAX_POINTS;
  return {
    ...rules,
    ...(examples && !isChosen && { examples }),
    ...(isCapped && { maximum: MAX_POINTS, default: Math.min(Number(rules.default), MAX_POINTS) }),
    ...(sentence !== undefined && !DESCRIBED_ONCE.has(name) && { description: sentence }),
  };
}

/** Shows a schema to the caller. The procedure checks the arguments, with the messages of REST. */
const asGiven = (schema: ReturnType<typeof shortSchema>) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'audio-metrics',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

function badLimit(): ToolAnswer {
  const error = badParameter('limit', `must be a whole number from 1 to ${MAX_POINTS}`);
  return { text: JSON.stringify(publicProblem(error, randomUUID())), isError: true };
}
