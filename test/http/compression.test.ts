import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { POINT, pointRow, repeated } from '../rows.ts';
import { open, send, textOf } from './raw.ts';
import { appOn } from './service-on.ts';
import { exporting, readSlowly } from './slow-reader.ts';

const CODINGS = ['gzip', 'br', 'zstd'];
const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

describe('compression', () => {
  const service = openForAll(() => startSmallService());
  let at: (path: string) => string;
  beforeAll(async () => {
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2026-01-01Z'::timestamptz + n * interval '1 s', -(n % 500) / 10.0, 100 + n % 7900 from generate_series(1, 15000) n`);
    at = (path) => `${service.url}${path}`;
  });

  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['GZIP', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, br;q=0.5, zstd;q=0.2', 'gzip'],
    ['zstd;q=0, br;q=0.001', 'br'],
    ['gzip ; q=0.5', 'gzip'],
    ['*', 'gzip'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['gzip;q=0, *', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['gzip, identity', 'gzip'],
    ['gzip;q=0', undefined],
    ['deflate, compress', undefined],
    ['', undefined],
    ['gzip;q=much', undefined],
  ])('answers "%s" with %s', async (accepted, coding) => {
    for (const path of ['/api/v1/audio/latest', '/trpc/audio.latest', '/api/v1/openapi.json']) {
      const answer = await send(at(path), { 'accept-encoding': accepted });
      const plain = await send(at(path));
      expect(answer.headers['content-encoding']).toBe(coding);
      expect(textOf(answer)).toBe(plain.body.toString());
      for (const { headers, body } of [answer, plain]) {
        expect(headers.vary?.toLowerCase()).toContain('accept-encoding');
        expect(headers['content-length']).toBe(`${body.length}`);
      }
      if (coding) expect(answer.body.length).toBeLessThan(plain.body.length / 2);
    }
  });

  it.each(CODINGS)('decodes a body of a megabyte in %s to the uncoded body', async (coding) => {
    const path = at(`/api/v1/audio/range?${DAY}`);
    const answer = await send(path, { 'accept-encoding': coding });
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(answer.headers['content-length']).toBe(`${answer.body.length}`);
    expect(textOf(answer) === (await send(path)).body.toString()).toBe(true);
  });

  it('leaves a body uncompressed if it fits in one packet', async () => {
    for (const path of ['/api/v1/stats/summary', '/api/v1/audio/latest?limit=5', '/api/v1/health/live']) {
      const { headers, body } = await send(at(path), { 'accept-encoding': 'gzip, br, zstd' });
      expect(headers['content-encoding']).toBeUndefined();
      expect(JSON.parse(body.toString())).toBeTypeOf('object');
    }
  });

  it('keeps the Vary of CORS', async () => {
    const app = await appOn(service.db, { corsOrigins: ['https://dashboard.example.com'] });
    for (const [url, others] of [
      ['/api/v1/audio/latest', ''],
      ['/trpc/audio.latest', 'trpc-accept, accept, '],
      ['/trpc/audio.latest?batch=1', 'trpc-accept, accept, '],
    ] as const)
      expect((await app.inject(url)).headers.vary).toBe(`Origin, ${others}accept-encoding`);
  });
});

const ROWS = repeated(pointRow({ ...POINT, time: '2026-01-01T00:00:00.123456Z' }), 1500);
const LENGTH = '2026-01-01T00:00:00.123456Z,-1.5,440,false\n'.length * 1500;
const DECODERS: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

it('An export in gzip waits for a slow reader, and ends when the reader leaves', () => readSlowly('gzip'));

describe.each(CODINGS)('an export in %s', (coding) => {
  const headers = { 'accept-encoding': coding };

  it('arrives piece by piece while the query runs', async () => {
    let finish = () => {};
    const rest = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const url = await exporting(async function* () {
      yield ROWS;
      await rest;
      yield ROWS;
    });
    const answer = await open(url, headers);
    const decoder = DECODERS[coding]?.();
    if (!decoder) throw new Error(coding);
    let text = '';
    decoder.on('data', (piece) => (text += piece));
    answer.pipe(decoder);
    await expect.poll(() => text.length).toBe(LENGTH + 'time,rms_db,frequency_hz,is_silence\n'.length);
    const done = new Promise((resolve) => decoder.once('end', resolve));
    finish();
    await done;
    expect(text).toHaveLength(2 * LENGTH + 36);
  });
});
