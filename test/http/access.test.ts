// Access: no spelling of a target gives a caller an answer that its key does not open.
import { beforeAll, expect, it } from 'vitest';
import type { AppOptions } from '../../src/http/app.ts';
import { createKey, readKeys } from '../../src/http/edge/api-keys.ts';
import type { Watcher } from '../../src/http/request-accounting.ts';
import { routes } from '../../src/operations/internals/routes.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { startBeside } from '../service.ts';
import { makeStation } from '../stations.ts';
import { openConnection, type Received } from './raw-sockets.ts';
import { spellings } from './spellings.ts';

/** Each station has its own level, fraction of a second and number of points, so every answer shows its station. */
const STATIONS = {
  default: { digit: 1, loud: 13, mark: /-4?1\.11|\.111111Z|count":(13|43|44)\b|"name":"default"/ },
  garden: { digit: 2, loud: 17, mark: /-4?2\.22|\.222222Z|count":(17|47|48)\b|"name":"garden"/ },
  street: { digit: 3, loud: 19, mark: /-4?3\.33|\.333333Z|count":(19|49|50)\b|"name":"street"/ },
} as const;
type Station = keyof typeof STATIONS;
const NAMES: readonly Station[] = ['default', 'garden', 'street'];
const below = (station: string) => (station === 'default' ? '' : `/stations/${station}`);
const shown = ({ body }: Received) => NAMES.filter((name) => STATIONS[name].mark.test(body));

/** SQL that inserts half an hour of quiet, a loud event, and the point with which a live stream starts. */
function points(station: Station): string {
  const { digit, loud } = STATIONS[station];
  const insert = (from: string, to: string, step: string, level: number) =>
    `insert into ${station === 'default' ? '' : `${station}.`}audio_data (time, rms_db, frequency_hz)
     select time, ${level}, ${digit}000 from generate_series('2026-03-01T${from}.${`${digit}`.repeat(6)}Z'::timestamptz,
       '2026-03-01T${to}.999999Z', '${step}') as time;`;
  const level = 1.11 * digit;
  return [
    insert('11:01:00', '11:30:00', '1 min', -40 - level),
    insert('11:59:00', `11:59:${loud - 1}`, '1 s', -level),
    insert('12:00:10', '12:00:10', '1 s', -level),
  ].join('');
}

/** The least input that an operation takes, with the interval of the points if it needs one. */
function inputOf(name: string): Record<string, string> {
  const interval = { from: '2026-03-01T11:00:00Z', to: '2026-03-01T12:00:00Z' };
  if (name === 'stats.limits') return { ...interval, limits: '06-22=55,22-06=45' };
  return routes.get(name)?.input.safeParse({}).success ? {} : interval;
}

const json = (value: object) => encodeURIComponent(JSON.stringify(value));
const batchOf = (names: readonly string[]) => `batch=1&input=${json({ ...names.map(inputOf) })}`;
const FORMS = {
  rest: (name: string) => ({
    names: [name],
    path: `/api/v1${routes.get(name)?.path}`,
    query: `${new URLSearchParams(inputOf(name))}`,
    headers: {},
  }),
  rpc: (name: string) => ({
    names: [name],
    path: `/trpc/${name}`,
    query: `input=${json(inputOf(name))}`,
    headers: {},
  }),
  batch: (name: string) => {
    const names = ['health.live', name];
    return { names, path: `/trpc/${names}`, query: batchOf(names), headers: {} };
  },
  stream: (name: string) => {
    const names = [name, 'stations.list'];
    return {
      names,
      path: `/trpc/${names}`,
      query: batchOf(names),
      headers: { 'trpc-accept': 'application/jsonl' },
    };
  },
};
type Form = keyof typeof FORMS;
const ALL = [...routes.values()].flatMap(({ name }) =>
  (['rest', 'rpc', 'batch', 'stream'] as const).map((form) => ({ name, form })),
);

/** One operation of each kind. */
const KINDS =
  /^(audio\.latest|audio\.live|stats\.limits|events\.list|export\.csv|stations\.list|health\.live)$/;
const OF_EACH_KIND = ALL.filter(({ name }) => KINDS.test(name));

/** The texts without measurements: answers of probes, the document and the pages. */
const OPEN =
  /^(\[?(\{"result":\{"data":\{"status":"ok"\}\}\},?)+\]?|\{"status":"ok"\}|\{"openapi":.*|<!doctype html>.*|)$/s;

const [everything, mine, foreign] = [createKey('all'), createKey('tenant', 'garden'), createKey('foreign')];
const bearer = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` });
const CALLERS = {
  nobody: { headers: {}, opened: [] },
  foreign: { headers: bearer(foreign), opened: [] },
  tenant: { headers: bearer(mine), opened: ['garden'] },
  all: { headers: bearer(everything), opened: NAMES },
} satisfies Record<string, { headers: Record<string, string>; opened: readonly Station[] }>;
type Caller = keyof typeof CALLERS;

interface Request {
  readonly target: string;
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
}

describeOnWire('A service with keys', (engine) => {
  const database = openForAll(() => engine.open());
  const connections: ReturnType<typeof openConnection>[] = [];
  const connect = ({ url }: { url: string }) => {
    const connection = openConnection(Number(new URL(url).port));
    connections.push(connection);
    return connection.send;
  };
  const keys = readKeys(`${everything.line}\n${mine.line}`);
  const service = openForAll(() => startBeside(database, { keys }));
  beforeAll(async () => {
    for (const name of ['garden', 'street']) await makeStation(database, name);
    for (const name of NAMES) await database.sql(points(name));
    return () => {
      for (const { close } of connections) close();
    };
  });

  /** What a caller may see, written down apart from the code that decides it. */
  function expected(names: readonly string[], form: Form, station: Station, caller: Caller) {
    const { opened } = CALLERS[caller];
    const hasKey = caller === 'tenant' || caller === 'all';
    const isAboutAll = (name: string) => name.startsWith('stations.');
    const isProbe = (name: string) => name.startsWith('health.');
    const isOpen = (name: string) =>
      isProbe(name) || opened.some((each) => each === station) || (station === 'default' && isAboutAll(name));
    if (!hasKey && !names.every(isProbe)) return { status: 401, stations: [] };
    if (!names.every(isOpen)) return { status: 404, stations: [] };
    const isMixed = names.length > 1 && names.some((name) => routes.get(name)?.isStream);
    if (isMixed) return { status: 400, stations: [] };
    if (names.includes('export.csv') && (form === 'rpc' || form === 'batch'))
      // tRPC must stream a file
      return { status: form === 'rpc' ? 415 : 207, stations: [] };
    const isSeen = (each: Station) =>
      names.some((name) =>
        isAboutAll(name) ? opened.some((it) => it === each) : !isProbe(name) && each === station,
      );
    return { status: 200, stations: NAMES.filter(isSeen) };
  }

  /** Sends requests over eight connections at a time. @returns the answers that are not as they should be */
  async function wrongOf<Sent extends Request>(
    requests: Sent[],
    isRight: (sent: Sent, answer: Received) => boolean,
  ) {
    const wrong: object[] = [];
    const next = requests.values();
    const work = async () => {
      const send = connect(service);
      for (const sent of next) {
        const answer = await send(sent.target, { ...CALLERS[sent.caller].headers, ...sent.headers });
        const { status, body } = answer;
        if (!isRight(sent, answer))
          wrong.push({ ...sent, status, stations: shown(answer), body: body.slice(0, 500) });
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    return wrong;
  }

  it('answers every operation on every transport with what the key of the caller opens', async () => {
    const requests = ALL.flatMap(({ name, form }) =>
      NAMES.flatMap((station) =>
        (['nobody', 'foreign', 'tenant', 'all'] as const).map((caller) => {
          const { names, path, query, headers } = FORMS[form](name);
          const target = `${below(station)}${path}?${query}`;
          return { target, caller, headers, right: expected(names, form, station, caller) };
        }),
      ),
    );
    const isRight = ({ right }: (typeof requests)[number], answer: Received) =>
      answer.status === right.status && `${shown(answer)}` === `${right.stations}`;
    expect(await wrongOf(requests, isRight)).toEqual([]);
  });

  it('answers nothing else under any other spelling', async () => {
    const callers = ['nobody', 'tenant', 'foreign'] as const;
    const requests = OF_EACH_KIND.flatMap(({ name, form }, index) => {
      const { path, query, headers } = FORMS[form](name);
      // from one operation to the next, each spelling meets another caller and another station
      return Array.from(spellings(path), (spelling, nth) => {
        const caller = callers[(nth + index) % 3] ?? 'nobody';
        const station = NAMES[(nth + Math.trunc(index / 3)) % 3] ?? 'default';
        return { target: `${spelling.replace(path, `${below(station)}${path}`)}?${query}`, caller, headers };
      });
    });
    expect(new Set(requests.map(({ target }) => target)).size).toBeGreaterThan(3500);
    const isRight = ({ caller }: Request, answer: Received) => {
      const { opened } = CALLERS[caller];
      if (answer.status >= 500 || shown(answer).some((station) => opened.every((each) => each !== station)))
        return false;
      return opened.length > 0 || answer.status > 299 || OPEN.test(answer.body);
    };
    expect(await wrongOf(requests, isRight)).toEqual([]);
  });

  it('refuses a fragment, a path that is encoded twice, and a target that is no path', async () => {
    const send = connect(service);
    const calls = (name: string, count: number) => Array(count).fill(name);
    const refused: [target: string, caller: Caller, status: number][] = [
      ['/trpc/audio.latest#/health.live', 'nobody', 400],
      [`/trpc/stations.list%252Caudio.latest%252Cstats.summary?batch=1`, 'tenant', 400],
      [`/trpc/${calls('audio.latest', 220).join('%252C')}?batch=1`, 'all', 400],
      [`/trpc/${calls('audio.latest', 21)}?batch=1`, 'all', 400],
      ['/api/v1/health/live#', 'nobody', 400],
      ['/nowhere?#', 'nobody', 400],
      ['/docs%2523', 'nobody', 400],
      ['/stations/gard%2565n/api/v1/health/live', 'nobody', 400],
      ['/stations/https:evil.example', 'nobody', 404], // would redirect there
      ['*', 'nobody', 404],
      ['*trpc/health.live', 'nobody', 404],
    ];
    for (const [target, caller, status] of refused) {
      const answer = await send(target, CALLERS[caller].headers);
      expect([target, answer.status]).toEqual([target, status]);
    }
  });

  it('does not show whether a station exists that a key does not open', async () => {
    const send = connect(service);
    const textOf = async (station: string, path: string) => {
      const { status, body } = await send(`/stations/${station}${path}`, CALLERS.tenant.headers);
      return [status, body.replaceAll(station, 'STATION').replace(/"request_id":"[^"]*"/, '')];
    };
    for (const path of [
      '/api/v1/audio/latest',
      '/trpc/audio.latest',
      '/api/v1/stations',
      '/api/v1/health/ready',
    ])
      expect([path, await textOf('street', path)]).toEqual([path, await textOf('nowhere', path)]);
  });

  it('decides where a call runs, by the name that runs', async () => {
    let running = 'audio.latest';
    const tamper: Watcher = (app) => {
      // the edge has read another name
      app.addHook('preHandler', async ({ params }) => void Object.assign(Object(params), { path: running }));
    };
    const open = (options: Partial<AppOptions>) => startBeside(database, { watchers: [tamper], ...options });
    const [keyed, unkeyed] = await Promise.all([open({ keys }), open({})]);
    const [send, sendToAll] = [connect(keyed), connect(unkeyed)];
    const statusOf = async (name: string, caller: Caller) =>
      (await send(`/trpc/${name}?batch=1`, CALLERS[caller].headers)).status;
    expect(await statusOf('health.live', 'nobody')).toBe(401);
    expect(await statusOf('stations.list', 'tenant')).toBe(404);
    expect(await statusOf('stations.list', 'all')).toBe(400);
    expect((await sendToAll('/trpc/health.live')).status).toBe(400);
    expect(await statusOf('audio.latest', 'all')).toBe(200);
    running = 'audio.latest,audio.latest';
    expect(await statusOf('audio.latest', 'all')).toBe(207); // the edge has counted one call
    await Promise.all([keyed.close(), unkeyed.close()]);
  });
});
