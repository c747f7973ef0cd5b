// Listens for posts of points, on a port of its own: POST /STATION. Only `import --listen` loads this file and Fastify.
import { hash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { BadInput } from '../commands/input-files.ts';
import { createOnceAMinute, messageOf } from '../commands/progress.ts';
import { isAnyStation } from '../contract/station.ts';
import type { RecorderIo, Tokens } from '../recorder/recorder-io.ts';
import { untilAborted } from '../signal.ts';
import { openDeliveries } from './deliveries.ts';
import type { ImportOptions } from './import-options.ts';

const MOST_BYTES = 2 ** 20;
/** How many posts may be under way, of one caller and of all. A caller that waits for each answer has one. */
const [MOST_OF_CALLER, MOST] = [20, 100];
const AGAIN_SECONDS = 5;
/** How many keys are remembered, to refuse another body, of which nothing would be stored. */
const MOST_KEYS = 1000;
const SLOWEST_MS = 60_000;
/** InfluxDB's clients add a path to the address in their settings. */
const PATHS = ['/:station', '/:station/write', '/:station/api/v2/write'];

const refused = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });

type Post = FastifyRequest<{ Params: { station: string } }>;

/** Ends with the signal, and stores all points that were acknowledged. */
export async function listenForPosts(
  { host, port }: NonNullable<ImportOptions['listen']>,
  options: ImportOptions,
  io: RecorderIo,
) {
  const tokens = options.tokens === undefined ? undefined : await io.openTokens(options.tokens);
  // the path names the station, and none is created
  const stationBy = { column: 'path', stations: new Map<string, string>(), creates: false, isOutside: true };
  const deliveries = await openDeliveries({ ...options, stationBy }, io);
  /** How many posts of each caller are under way. */
  const underWay = new Map<string, number>();
  let all = 0;
  const saying = createOnceAMinute();
  const bodies = new LRUCache<string, string>({ max: MOST_KEYS });
  const app = fastify({
    ...{ bodyLimit: MOST_BYTES, requestTimeout: SLOWEST_MS },
    frameworkErrors: ({ message }, _request, reply) => problem(reply, 400, message), // such as of POST /%
  });

  /** Counts a post until its connection or answer ends. @throws an error with a status if too many are under way */
  function count(name: string, { raw }: FastifyReply): void {
    const own = underWay.get(name) ?? 0;
    if (own >= MOST_OF_CALLER) throw refused(429, `${own} posts are under way: wait for their answers`);
    if (all >= MOST) throw refused(503, `${all} posts are under way`);
    underWay.set(name, own + 1);
    all += 1;
    raw.once('close', () => {
      underWay.set(name, (underWay.get(name) ?? 1) - 1);
      all -= 1;
    });
  }

  function problem(reply: FastifyReply, status: number, detail: string) {
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    if (status === 429 || status === 503) reply.header('retry-after', AGAIN_SECONDS);
    return reply
      .code(status)
      .type('application/problem+json')
      .send({ type: 'about:blank', title: STATUS_CODES[status], status, detail });
  }

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler<FastifyError>(({ statusCode: status = 503, message }, { ip }, reply) => {
    const why = status === 413 ? `A body has at most ${MOST_BYTES} bytes` : message;
    if (status !== 401 && saying.isDue())
      io.progress(`Warning: refused a post from ${ip} with ${status}: ${why}`);
    return problem(reply, status, status === 503 ? 'The points could not be written: try again' : why);
  });
  app.setNotFoundHandler(({ method }, reply) => {
    if (method === 'POST') return problem(reply, 404, 'Post to /STATION');
    return problem(reply.header('allow', 'POST'), 405, 'Points are only posted here: POST /STATION');
  });
  for (const url of PATHS)
    app.post(url, {
      async onRequest(request: Post, reply) {
        // only browsers send it: any web page could post to a port of the visitor's machine
        if (request.headers.origin !== undefined) throw refused(403, 'Posts from web pages are refused');
        const { name, stations } = callerOf(request, tokens);
        const { station } = request.params;
        if (!isAnyStation(station) || stations?.includes(station) === false)
          throw refused(404, `There is no station ${station}`);
        count(name, reply);
      },
      async handler(request: Post, reply) {
        const { name } = callerOf(request, tokens);
        const { station } = request.params;
        const { 'idempotency-key': key } = request.headers;
        if (key === '') throw refused(400, 'Idempotency-Key must not be empty');
        const at = io.now();
        const body = await unzipped(request);
        const hashed = hash('sha256', body);
        const id = key && `${name} ${key}`;
        const used = `${station} ${id}`;
        if (id && (bodies.get(used) ?? hashed) !== hashed)
          throw refused(422, `Idempotency-Key ${key} came with another body: use a new key for each post`);
        const from = `a post to ${station}`;
        const refusal = await deliveries.take({ body, at, from, of: station, key: id });
        if (refusal) throw refused(refusal.kind === 'bad line' ? 400 : 404, refusal.why);
        if (id) bodies.set(used, hashed);
        return reply.code(204).send();
      },
    });
  try {
    const address = await app.listen({ host, port }).catch((cause) => {
      throw new BadInput(`--listen: cannot listen on ${host}, port ${port}: ${messageOf(cause)}`, { cause });
    });
    io.progress(`Listening for points at ${address}/STATION`);
    await untilAborted(io.signal);
  } finally {
    await app.close();
    await deliveries.close();
    tokens?.close();
  }
}

/** @throws an error with a status without a token that is known */
function callerOf({ headers: { authorization = '' }, ip }: FastifyRequest, tokens: Tokens | undefined) {
  if (!tokens) return { name: ip };
  const [, scheme = '', given = ''] = /^(Bearer|Token|Basic) +(\S+)$/i.exec(authorization) ?? [];
  // some firmware knows no other scheme than Basic: the password is the token
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(given, 'base64').toString()) ?? [];
  const owner = tokens.ownerOf(/^basic$/i.test(scheme) ? (password ?? '') : given);
  if (!owner) throw refused(401, 'Send a token: Authorization: Bearer TOKEN');
  return owner;
}

const gunzipped = promisify(gunzip);

async function unzipped({ body, headers }: FastifyRequest): Promise<Uint8Array> {
  if (!(body instanceof Uint8Array)) return new Uint8Array();
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (/^identity$/i.test(encoding)) return body;
  if (!/^gzip$/i.test(encoding)) throw refused(415, 'The Content-Encoding must be gzip or identity');
  return gunzipped(body, { maxOutputLength: MOST_BYTES }).catch((error) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE'
      ? refused(413, error.message)
      : refused(400, 'The body is not gzip');
  });
}
