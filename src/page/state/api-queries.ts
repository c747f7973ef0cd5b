// The queries of the page, each with its API call, which panels show.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { AudioMetricsClient, Outputs } from '../../client/index.ts';
import { isFinal } from '../../client/service-error.ts';
import { useApiClient } from './api-client.tsx';
import type { EventRule } from './event-rule.ts';
import type { Interval } from './interval.ts';
import { setPlace } from './place.ts';
import { asInput } from './shown-interval.ts';

/** A call of the API. */
export interface ApiCall {
  /** Such as `stats.series`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, string | number>>;
}

/** What events are ordered by. */
export type EventOrder = 'time' | 'level';

const INFO_EVERY_MS = 30_000;
/** While statistics catch up. */
const PROGRESS_EVERY_MS = 2000;
/** A connection that is dead gives no answer and no error. */
const PATIENCE_MS = 2500;

/** @param everyMs how often it is asked */
export function useInfo(everyMs = INFO_EVERY_MS) {
  const { client } = useApiClient();
  return useQuery({
    queryKey: ['service.info'],
    async queryFn({ signal }) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      const options = { signal: AbortSignal.any([signal, patience]) };
      // the age of the newest point changes with each answer, and with it all that is drawn
      const { newest_age_seconds: _, ...info } = await client.service.info.query(undefined, options);
      setPlace(info);
      return info;
    },
    retryDelay: 1000,
    // what a key is missing for is not asked again: its form would begin anew
    refetchInterval({ state: { data, error } }) {
      if (isFinal(error)) return false;
      return data?.rollup_refresh?.state === 'catching up' ? Math.min(everyMs, PROGRESS_EVERY_MS) : everyMs;
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

/** Noise events, newest or loudest first, page by page. */
export function useEvents(interval: Interval, rule: EventRule, order: EventOrder) {
  const { client } = useApiClient();
  const input = { ...rule, ...asInput(interval), limit: EVENTS };
  const call: ApiCall = { operation: order === 'time' ? 'events.list' : 'events.top', input };
  const answer = useInfiniteQuery({
    queryKey: [call.operation, call.input],
    queryFn: ({ pageParam: cursor, signal }): Promise<EventPage> =>
      (order === 'time' ? client.events.list : client.events.top).query(
        { ...input, ...(cursor && { cursor }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  return { call, answer };
}

type EventPage = Pick<Outputs['events']['list'], 'events' | 'next_cursor' | 'scale'>;
