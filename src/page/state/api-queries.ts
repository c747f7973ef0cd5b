// The queries of the page, each with its API call, which panels show.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { AudioMetricsClient, Inputs } from '../../client/index.ts';
import { useApiClient } from './api-client.tsx';
import { asInput, type Interval } from './shown-interval.ts';
import type { View } from './view-in-address.ts';

/** A call of the API. */
export interface ApiCall {
  /** Such as `stats.series`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, string | number>>;
}

const INFO_EVERY_MS = 30_000;

export function useInfo() {
  const { client } = useApiClient();
  return useQuery({
    queryKey: ['service.info'],
    queryFn: ({ signal }) => client.service.info.query(undefined, { signal }),
    refetchInterval: INFO_EVERY_MS,
  });
}

/** @param procedure where the operation is in the client */
export function useApiQuery<Input extends ApiCall['input'], Answer>(
  operation: string,
  input: Input,
  procedure: (
    client: AudioMetricsClient,
  ) => (input: Input, options: { signal: AbortSignal }) => Promise<Answer>,
  enabled = true,
) {
  const { client } = useApiClient();
  const answer = useQuery({
    queryKey: [operation, input],
    queryFn: ({ signal }) => procedure(client)(input, { signal }),
    enabled,
  });
  return { call: { operation, input }, answer };
}

/** How many noise events come at a time. */
const EVENTS = 300;

/** Noise events, newest first, page by page. */
export function useEvents(interval: Interval, { threshold, aboveBackground }: View) {
  const { client } = useApiClient();
  const input = {
    ...(aboveBackground === null ? { threshold } : { above_background: aboveBackground }),
    ...asInput(interval),
    limit: EVENTS,
  } satisfies Inputs['events']['list'];
  const answer = useInfiniteQuery({
    queryKey: ['events.list', input],
    queryFn: ({ pageParam: cursor, signal }) =>
      client.events.list.query({ ...input, ...(cursor && { cursor }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  return { call: { operation: 'events.list', input }, answer };
}
