// A batch that is taken line by line is what tRPC's own client reads, and holds no more than is asked for.
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTRPCClient, httpBatchStreamLink, TRPCClientError } from '@trpc/client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AppRouter } from '../../src/client/index.ts';
import { merged } from '../../src/http/trpc-lines.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { ROW } from '../rows.ts';
import { ask } from './raw.ts';
import { empty, held, serviceOn } from './service-on.ts';

const HOUR = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' };
const STREAMED = { 'trpc-accept': 'application/jsonl' };

const clientOf = (url: string) =>
  createTRPCClient<AppRouter>({ links: [httpBatchStreamLink({ url: `${url}/trpc` })] });

describe('a batch that is streamed', () => {
  const service = openForAll(() => startSmallService());
  beforeAll(async () => {
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2026-01-01Z'::timestamptz + n * interval '100 ms', -10, 440 from generate_series(1, 30000) n`);
  });

  it.each([
    ['audio.latest', { limit: 5 }],
    ['audio.range', { ...HOUR, limit: 10_000 }],
    ['stats.summary', { period: '24h', to: HOUR.to }],
    ['health.live', {}],
    ['audio.latest', { limit: 0 }],
    ['audio.unknown', {}],
  ])('has the answer of %s %j as it is in any batch', async (path, input) => {
    const url = `${service.url}/trpc/${path}?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: input }))}`;
    const [lines, whole] = [await ask(url, STREAMED), await ask(url)];
    const [answer] = JSON.parse(`${whole.body}`);
    const read = `${lines.body}`.split('\n');
    expect(lines.status).toBe(200);
    expect(read[0]).toBe('{"0":[[0],[null,0,0]]}');
    expect(JSON.parse(read[1] ?? '')).toEqual([0, 0, [[answer]]]);
    expect(read.slice(2)).toEqual(['']);
  });

  it('is read by the client of tRPC: answers, errors and exports beside one another', async () => {
    const client = clientOf(service.url);
    const [latest, refused, first, range, second] = await Promise.all([
      client.audio.latest.query({ limit: 2 }),
      client.audio.latest.query({ limit: 0 }).catch((error: TRPCClientError<AppRouter>) => error),
      client.export.csv.query(HOUR),
      client.audio.range.query({ ...HOUR, limit: 10_000 }),
      client.export.csv.query({ ...HOUR, to: '2026-01-01T00:00:01Z' }),
    ]);
    expect(latest).toEqual(await service.client.audio.latest.query({ limit: 2 }));
    expect(refused).toBeInstanceOf(TRPCClientError);
    expect(Object(refused).data).toMatchObject({ code: 'BAD_REQUEST', errors: [{ parameter: 'limit' }] });
    expect(range).toEqual(await service.client.audio.range.query({ ...HOUR, limit: 10_000 }));
    const textOf = async (pieces: AsyncIterable<string>) => {
      let text = '';
      for await (const piece of pieces) text += piece;
      return text;
    };
    const csv = async (interval: typeof HOUR) =>
      `${(await ask(`${service.url}/api/v1/export/csv?${new URLSearchParams(interval)}`)).body}`;
    const [whole, part] = await Promise.all([textOf(first), textOf(second)]);
    expect(whole === (await csv(HOUR))).toBe(true);
    expect(part).toBe(await csv({ ...HOUR, to: '2026-01-01T00:00:01Z' }));
  });

  it('refuses a bad export in its place', async () => {
    const bad = clientOf(service.url).export.csv.query({ from: 'never', to: 'now' });
    await expect(bad).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } });
  });

  it('begins nothing where only its headers are asked for', async () => {
    const url = `${service.url}/trpc/audio.latest?batch=1&input={}`;
    const { status, body, headers } = await ask(url, STREAMED, 'HEAD');
    expect([status, `${body}`, headers['cache-control']]).toEqual([200, '', 'no-store']);
  });
});

describe('the lines of a stream', () => {
  it('come as each is ready, whichever was asked for first', async () => {
    const { db, waiting } = held();
    const client = clientOf(await serviceOn(db));
    const ends: string[] = [];
    const slow = client.audio.latest.query({ limit: 1 }).then(() => ends.push('slow'));
    await client.health.live.query().then(() => ends.push('fast'));
    await expect.poll(() => waiting.length).toBe(1);
    expect(ends).toEqual(['fast']);
    waiting[0]?.answer();
    await slow;
  });

  it('of an export that fails half way end in its error', async () => {
    const url = await serviceOn({
      ...empty,
      async *copyOut() {
        yield ROW;
        await sleep(10);
        throw new Error('the disk is full');
      },
    });
    const pieces = await clientOf(url).export.csv.query(HOUR);
    const read = async () => {
      for await (const piece of pieces) expect(piece).toContain('2026-01-01T00:00:00.000000Z,-1.5,440,false');
    };
    await expect(read()).rejects.toMatchObject({
      message: 'Internal server error',
      data: { code: 'INTERNAL_SERVER_ERROR' },
    });
  });
});

it('sources that are always ready leave others their turns, and all are ended with the reader', async () => {
  const ended: string[] = [];
  async function* endless(name: string) {
    try {
      while (true) yield name;
    } finally {
      ended.push(name);
    }
  }
  const taken: string[] = [];
  for await (const name of merged([endless('a'), endless('b'), endless('c')], 4)) {
    await turnOfTheLoop(); // a reader that is slower than they are
    if (taken.push(name) === 9) break;
  }
  expect(taken.toSorted()).toEqual([...'aaabbbccc']);
  await expect.poll(() => ended.toSorted()).toEqual(['a', 'b', 'c']);
});

it('nothing that was taken is kept while another source is awaited', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let answer = () => {};
  async function* slow() {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    yield { piece: -1 };
  }
  async function* fast() {
    for (let piece = 0; piece < 100; piece++) {
      await turnOfTheLoop();
      yield { piece };
    }
  }
  const taken: WeakRef<object>[] = [];
  let kept = Number.NaN;
  for await (const each of merged<object>([slow(), fast()], 4)) {
    if (taken.push(new WeakRef(each)) === 100) setTimeout(look, 10);
  }
  function look() {
    collect();
    kept = taken.filter((piece) => piece.deref() !== undefined).length;
    answer();
  }
  expect(taken).toHaveLength(101);
  expect(kept).toBeLessThan(5); // the last ones may be
});
