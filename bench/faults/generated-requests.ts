// Sends generated requests. The OpenAPI document must declare each answer.
import { Agent, type IncomingMessage, request } from 'node:http';
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { migrate } from '../../src/cli/migrate.ts';
import type { Child } from '../child.ts';
import { digits, type Figure } from '../figure.ts';
import { storePoints, untilNow } from '../points-table.ts';
import { inNewDatabase } from '../server.ts';
import {
  createRandom,
  createRequestGenerator,
  type DescribedParameter,
  type GeneratedRequest,
} from './request-generator.ts';
import { statusesOf } from './samples.ts';
import type { TestBed } from './test-bed.ts';

const CALLERS = 8;
const POINTS = 2000;

interface Document {
  readonly paths: Record<string, { get?: { parameters?: DescribedParameter[]; responses: Responses } }>;
  readonly components: { readonly responses: Responses };
}
interface Described {
  readonly content?: Record<string, { schema: object }>;
  /** A reference such as `#/components/responses/400`, instead of the other fields. */
  readonly $ref?: string;
}
type Responses = Record<string, Described>;

/** Runs on a small table, so that many requests take little time. */
export function generated(bed: TestBed): Promise<Figure[]> {
  return inNewDatabase(bed.database, 'generated', async (url) => {
    await migrate({ url });
    await storePoints(url, untilNow(POINTS), () => {});
    await using service = await bed.start({}, url);
    return await sendRequests(bed, service);
  });
}

async function sendRequests({ options, say }: TestBed, service: Child): Promise<Figure[]> {
  const document = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as Document;
  const judge = createJudge(document);
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({
    path,
    parameters: get?.parameters ?? [],
  }));
  const next = createRequestGenerator(operations, createRandom(options.seed));
  const answers: { status: number }[] = [];
  const wrong: string[] = [];
  const early = Math.ceil(options.requests / 5);
  let [sent, memory] = [0, 0];
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const caller = async () => {
    while (sent < options.requests) {
      if (++sent === early) memory = service.memory();
      if (sent % 10_000 === 0) say(`generated requests: ${digits(sent)} of ${digits(options.requests)}`);
      const made = next();
      const { status, type, body } = await answerTo(service.url, made, agent);
      answers.push({ status });
      const fault = judge(made, status, type, body);
      if (fault) wrong.push(`${made.method} ${made.url} ${status}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  agent.destroy();
  for (const line of wrong.slice(0, 5)) say(line.slice(0, 500));
  const work = `${digits(options.requests)} generated requests`;
  const count = (is: (status: number) => boolean) => answers.filter(({ status }) => is(status)).length;
  return [
    {
      work: `${work}: status 500 or none`,
      value: count((status) => status === 500 || status === 0),
      unit: '',
      bar: { atMost: 0 },
      note: `seed ${options.seed}; ${statusesOf(answers)}`,
    },
    { work: `${work}: unlike the document`, value: wrong.length, unit: '', bar: { atMost: 0 } },
    {
      work: `${work}: memory at the end, against that after a fifth`,
      value: service.memory() / memory,
      unit: 'times',
      bar: { atMost: 1.25 },
      note: `${digits(service.memory())} against ${digits(memory)} MB`,
    },
  ];
}

const DECODERS = { gzip: createGunzip, br: createBrotliDecompress, zstd: createZstdDecompress };

/** Status 0 if the connection broke before the end. */
async function answerTo(url: string, { method, url: path, headers }: GeneratedRequest, agent: Agent) {
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${url}${path}`, { method, headers, agent }, resolve).on('error', reject).end();
    });
    const coding = answer.headers['content-encoding'] as keyof typeof DECODERS | undefined;
    const type = answer.headers['content-type'];
    const hasBody = method !== 'HEAD' && answer.statusCode !== 304;
    let body = '';
    if (type?.startsWith('text/event-stream'))
      answer.destroy(); // a stream would continue for half an hour
    else
      for await (const piece of coding && hasBody ? answer.pipe(DECODERS[coding]()) : answer) body += piece;
    return { status: answer.statusCode ?? 0, type: hasBody ? type : undefined, body };
  } catch {
    return { status: 0, type: undefined, body: '' };
  }
}

/** @returns a function that describes the fault of an answer, or returns undefined if there is none */
function createJudge(document: Document) {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'https://bench/document', components: document.components });
  const compiled = new Map<object, ValidateFunction>();
  const validate = (schema: object, body: unknown) => {
    let check = compiled.get(schema);
    if (!check) {
      check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://bench/document#/')));
      compiled.set(schema, check);
    }
    return check(body) ? undefined : ajv.errorsText(check.errors);
  };
  return (
    { method, operation }: GeneratedRequest,
    status: number,
    type: string | undefined,
    body: string,
  ) => {
    if (status === 0) return 'broke off';
    if (operation === undefined || (method !== 'GET' && method !== 'HEAD'))
      return type?.includes('json') && !isJson(body) ? 'is not JSON' : undefined;
    if (status === 304) return undefined;
    const named = document.paths[operation]?.get?.responses[status];
    const shared = named?.$ref?.split('/').at(-1);
    const described = shared === undefined ? named : document.components.responses[shared];
    if (!described) return 'is an undeclared status';
    if (type === undefined) return undefined;
    const content = Object.entries(described.content ?? {});
    const schema = content.find(([name]) => name.split(';')[0] === type.split(';')[0])?.[1].schema;
    if (!schema) return `${type} is undeclared`;
    if (!type.includes('json')) return undefined;
    if (type.includes('ndjson'))
      return body.split('\n').every((line) => line === '' || isJson(line))
        ? undefined
        : 'has a line that is not JSON';
    return isJson(body) ? validate(schema, JSON.parse(body)) : 'is not JSON';
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
