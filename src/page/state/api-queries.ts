// The queries of the page, each with its API call, which panels show.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { AudioMetricsClient, Outputs } from '../../client/index.ts';
import { isFinal } from '../../client/service-error.ts';
import { useApiClient } from './api-client.tsx';
import type { Interval } from './interval.ts';
import { asInput } from './shown-interval.ts';
import { setServiceZone } from './time-zone.ts';
import type { View } from './view-in-address.ts';

/** A call of the API. */
export interface ApiCall {
  /** Such as `stats.series`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, string | number>>;
}

/** What events are ordered by. */
export type EventOrder = 'time' | 'level' | 'duration';

const INFO_EVERY_MS = 30_000;
/** While statistics catch up. */
const PROGRESS_EVERY_MS = 2000;

export function useInfo() {
  const { client } = useApiClient();
  return useQuery({
    queryKey: ['service.info'],
    async queryFn({ signal }) {
      const info = await client.service.info.query(undefined, { signal });
      setServiceZone(info.time_zone);
      return info;
    },
    // what a key is missing for is not asked again: its form would begin anew
    refetchInterval({ state: { data, error } }) {
      if (isFinal(error)) return false;
      return data?.rollup_refresh?.state === 'catching up' ? PROGRESS_EVERY_MS : INFO_EVERY_MS;
    },
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
const EVENTS = 50;

/** The criteria of noise events, as parameters of a call. */
export const criteriaOf = ({ threshold, aboveBackground }: Pick<View, 'threshold' | 'aboveBackground'>) =>
  aboveBackground === null ? { threshold } : { above_background: aboveBackground };

/** Noise events, newest, loudest or longest first, page by page. */
export function useEvents(interval: Interval, view: View, order: EventOrder) {
  const { client } = useApiClient();
  const input = { ...criteriaOf(view), ...asInput(interval), limit: EVENTS };
  const ranked = { ...input, by: order === 'time' ? 'level' : order } as const;
  const call: ApiCall =
    order === 'time' ? { operation: 'events.list', input } : { operation: 'events.top', input: ranked };
  const answer = useInfiniteQuery({
    queryKey: [call.operation, call.input],
    queryFn: ({ pageParam: cursor, signal }): Promise<EventPage> =>
      order === 'time'
        ? client.events.list.query({ ...input, ...(cursor && { cursor }) }, { signal })
        : client.events.top.query({ ...ranked, ...(cursor && { cursor }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  return { call, answer };
}

type EventPage = Pick<Outputs['events']['list'], 'events' | 'next_cursor' | 'scale'>;
