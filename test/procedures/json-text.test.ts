import { createTRPCClient, httpBatchStreamLink } from '@trpc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppRouter } from '../../src/client/index.ts';
import { fillIn, type Texts, unparsed, withoutText } from '../../src/procedures/json-text.ts';
import { appRouter } from '../../src/procedures/router.ts';
import { startEmbeddedService } from '../client/embedded-service.ts';
import { NOW, type TestService } from '../service.ts';

const write = (json: string, before: string, after: string) => Buffer.from(before + json + after);
const text = (json: string) => unparsed<unknown>(write, json);

describe('JSON in an answer', () => {
  it('goes to a transport as it was written, in its place', () => {
    const answer = { before: 'ä"', points: text('[1.0, -1e-05]'), after: null };
    const texts: Texts = new Map();
    const json = JSON.stringify([withoutText(answer, texts), withoutText(answer, texts)]);
    const one = '{"before":"ä\\"","points":[1.0, -1e-05],"after":null}';
    expect(`${fillIn(json, texts)}`).toBe(`[${one},${one}]`);
  });

  it('goes to every other caller as its value, and leaves the answer, which is shared, as it is', () => {
    const answer = { points: text('[1.0, -1e-05]'), next_cursor: null };
    const before = { ...answer };
    expect(withoutText(answer, undefined)).toEqual({ points: [1, -0.00001], next_cursor: null });
    expect(answer).toEqual(before);
  });

  it('is written once for all who share the answer, before the answer is sent', () => {
    const written: string[] = [];
    const points = unparsed<unknown>((json, before, after) => {
      written.push(json);
      return write(json, before, after);
    }, '[1]');
    const answer = { points };
    const bodies = [1, 2].map(() => {
      const texts: Texts = new Map();
      const sent = withoutText(answer, texts);
      expect(written).toEqual(['[1]']);
      return fillIn(JSON.stringify(sent), texts);
    });
    expect(`${bodies[0]}`).toBe('{"points":[1]}');
    expect(bodies[1]).toBe(bodies[0]); // the same memory
  });

  it('leaves the other fields of the answer to be read', () => {
    expect(withoutText({ points: text('[1]'), next_cursor: 'abc' }, new Map()).next_cursor).toBe('abc');
  });

  it('has tokens of one answer, which no other text in it is taken for', () => {
    const earlier: Texts = new Map();
    withoutText({ points: text('"secret"') }, earlier);
    const [token = ''] = earlier.keys();
    const texts: Texts = new Map();
    const answer = withoutText({ from: JSON.parse(token), points: text('[]') }, texts);
    expect(`${fillIn(JSON.stringify(answer), texts)}`).toBe(`{"from":${token},"points":[]}`);
    expect(texts.has(token)).toBe(false);
  });
});

describe('points', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startEmbeddedService();
    await service.sql(
      `insert into audio_data (time, rms_db) values ('2026-02-01Z', -1e-5), ('2026-02-01Z', '-0')`,
    );
  });
  afterAll(() => service?.close());
  const point = { time: '2026-02-01T00:00:00.000000Z', frequency_hz: null, is_silence: false };
  const points = [
    { ...point, rms_db: -0.00001 },
    { ...point, rms_db: 0 },
  ];

  it('are on REST what the database writes', async () => {
    const response = await fetch(`${service.url}/api/v1/events/loud?from=2026-02-01T00:00:00Z`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const rest = '"frequency_hz":null,"is_silence":false}';
    expect(await response.text()).toBe(
      `{"threshold":-10,"from":"2026-02-01T00:00:00.000000Z","to":null,"points":[` +
        `{"time":"2026-02-01T00:00:00.000000Z","rms_db":-1e-05,${rest},` +
        `{"time":"2026-02-01T00:00:00.000000Z","rms_db":0,${rest}],"next_cursor":null}`,
    );
  });

  it('are the same in a batch, where one question is asked twice and another is refused', async () => {
    const ask = () => service.client.audio.latest.query({ limit: 2 });
    const refused = service.client.audio.latest.query({ limit: 0 }).catch((error: Error) => error);
    expect(await Promise.all([ask(), ask()])).toEqual([{ points }, { points }]);
    expect(await refused).toBeInstanceOf(Error);
  });

  it('are the same for a client that takes its answers as a stream', async () => {
    const client = createTRPCClient<AppRouter>({
      links: [httpBatchStreamLink({ url: `${service.url}/trpc` })],
    });
    const [latest, live] = await Promise.all([
      client.audio.latest.query({ limit: 2 }),
      client.health.live.query(),
    ]);
    expect([latest, live]).toEqual([{ points }, { status: 'ok' }]);
  });

  it('are the same for a caller in the process', async () => {
    const caller = appRouter.createCaller({ db: service.db, now: NOW, headers: {}, inFlight: {} });
    expect(await caller.audio.latest({ limit: 2 })).toEqual({ points });
  });
});
