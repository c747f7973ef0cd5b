// TanStack Query with tRPC's own package: pages of points as an infinite query.
import { QueryClient } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { beforeAll, expect, it } from 'vitest';
import { type AppRouter, createClient, isServiceError } from '../../src/client/index.ts';
import { openForAll } from '../engines.ts';
import { startSmallService } from './embedded-service.ts';

const DAY = { from: '2026-01-03T00:00:00Z', to: '2026-01-04T00:00:00Z' };

const service = openForAll(() => startSmallService());
beforeAll(async () => {
  await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
    select '2026-01-03Z'::timestamptz + n * interval '1 min', -10 - n, 440 from generate_series(1, 30) n`);
});

function proxy() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const client = createClient(service.url);
  return { queryClient, trpc: createTRPCOptionsProxy<AppRouter>({ client, queryClient }) };
}

const next = { getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor };

it('reads page after page of a range, with the `direction` that TanStack Query adds', async () => {
  const { queryClient, trpc } = proxy();
  const { pages } = await queryClient.fetchInfiniteQuery({
    ...trpc.audio.range.infiniteQueryOptions({ ...DAY, limit: 12 }, next),
    pages: 4,
  });
  expect(pages.map(({ points }) => points.length)).toEqual([12, 12, 6]);
  expect(pages.flatMap(({ points }) => points.map(({ rms_db }) => rms_db))).toEqual(
    Array.from({ length: 30 }, (_, n) => -11 - n),
  );
});

it('throws the errors of the typed client', async () => {
  const { queryClient, trpc } = proxy();
  const refused: unknown = await queryClient
    .fetchQuery(trpc.audio.latest.queryOptions({ limit: 0 }))
    .catch((error) => error);
  expect(isServiceError(refused) && refused.data.errors).toMatchObject([{ parameter: 'limit' }]);
});
