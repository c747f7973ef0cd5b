// tRPC's own client reads a batch line by line.
import { createTRPCClient, httpBatchStreamLink, TRPCClientError } from '@trpc/client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AppRouter } from '../../../../src/client/index.ts';
import { startSmallService } from '../../../client/embedded-service.ts';
import { openForAll } from '../../../engines.ts';
import { send } from '../../../http/raw.ts';
import { empty, serviceOn } from '../../../http/service-on.ts';
import { ROW } from '../../../rows.ts';

const HOUR = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' };

const clientOf = (url: string) =>
  createTRPCClient<AppRouter>({ links: [httpBatchStreamLink({ url: `${url}/trpc` })] });

describe('a streamed batch', () => {
  const service = openForAll(() => startSmallService());
  beforeAll(async () => {
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2026-01-01Z'::timestamptz + n * interval '100 ms', -10, 440 from generate_series(1, 30000) n`);
  });

  it("returns answers, errors and exports side by side to tRPC's client", async () => {
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
      `${(await send(`${service.url}/api/v1/export/csv?${new URLSearchParams(interval)}`)).body}`;
    const [whole, part] = await Promise.all([textOf(first), textOf(second)]);
    expect(whole === (await csv(HOUR))).toBe(true);
    expect(part).toBe(await csv({ ...HOUR, to: '2026-01-01T00:00:01Z' }));
  });

  it('refuses a bad export at its index in the batch', async () => {
    const bad = clientOf(service.url).export.csv.query({ from: 'never', to: 'now' });
    await expect(bad).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } });
  });
});

describe('the lines of a stream', () => {
  it('end with an error if an export fails half way', async () => {
    const received = Promise.withResolvers<void>();
    const url = await serviceOn({
      ...empty,
      async *copyOut() {
        yield ROW;
        await received.promise;
        throw new Error('the disk is full');
      },
    });
    const pieces = await clientOf(url).export.csv.query(HOUR);
    const read = async () => {
      for await (const piece of pieces) {
        expect(piece).toContain('2026-01-01T00:00:00.000000Z,-1.5,440,false');
        received.resolve();
      }
    };
    await expect(read()).rejects.toMatchObject({
      message: 'Internal server error',
      data: { code: 'INTERNAL_SERVER_ERROR' },
    });
  });
});
