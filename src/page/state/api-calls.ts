// What the page asks, each with its input, so that a panel can say what it asked.
import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { AudioMetricsClient, Inputs } from '../../client/index.ts';
import { TIME_ZONE } from '../format.ts';
import type { View } from './address.ts';
import { useConnection } from './connection.tsx';
import { asInput, type Interval } from './interval.ts';

/** A question as the API takes it. */
export interface Call {
  /** Such as `stats.series`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, string | number>>;
}

const INFO_EVERY_MS = 30_000;

export function useInfo() {
  const { client } = useConnection();
  return useQuery({
    queryKey: ['service.info'],
    queryFn: ({ signal }) => client.service.info.query(undefined, { signal }),
    refetchInterval: INFO_EVERY_MS,
  });
}

/**
 * @param ask where the question is in the client
 * @param enabled whether it is its turn
 */
function useAsked<Input extends Call['input'], Answer>(
  operation: string,
  input: Input,
  ask: (client: AudioMetricsClient) => (input: Input, options: { signal: AbortSignal }) => Promise<Answer>,
  enabled = true,
) {
  const { client } = useConnection();
  const answer = useQuery({
    queryKey: [operation, input],
    queryFn: ({ signal }) => ask(client)(input, { signal }),
    enabled,
  });
  return { call: { operation, input }, answer };
}

export function useSeries(interval: Interval, maxPoints: number) {
  const input = { ...asInput(interval), max_points: maxPoints };
  return useAsked('stats.series', input, ({ stats }) => stats.series.query);
}

export function useSummary(interval: Interval, enabled: boolean) {
  return useAsked('stats.summary', asInput(interval), ({ stats }) => stats.summary.query, enabled);
}

export function useFrequencies(interval: Interval, maxPoints: number, enabled: boolean) {
  const input = { ...asInput(interval), max_points: maxPoints };
  return useAsked('stats.frequencies', input, ({ stats }) => stats.frequencies.query, enabled);
}

export function useDays(interval: Interval, enabled: boolean) {
  const input = { ...asInput(interval), time_zone: TIME_ZONE };
  return useAsked('stats.days', input, ({ stats }) => stats.days.query, enabled);
}

export function useQuality(interval: Interval, enabled: boolean) {
  return useAsked('stats.quality', asInput(interval), ({ stats }) => stats.quality.query, enabled);
}

/** How many noise events come at a time. */
const EVENTS = 300;

/** Noise events, newest first, page by page. */
export function useEvents(interval: Interval, { threshold, aboveBackground }: View, enabled: boolean) {
  const { client } = useConnection();
  const input = {
    ...(aboveBackground === null ? { threshold } : { above_background: aboveBackground }),
    ...asInput(interval),
    limit: EVENTS,
  } satisfies Inputs['events']['list'];
  const answer = useInfiniteQuery({
    queryKey: ['events.list', input],
    queryFn: ({ pageParam, signal }) =>
      client.events.list.query({ ...input, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    enabled,
  });
  return { call: { operation: 'events.list', input }, answer };
}

type Answer = Pick<UseQueryResult, 'isSuccess' | 'isError' | 'isPlaceholderData'>;

/** Whether an answer is to what was asked now, and not to what was asked before. */
export function isCurrent({ isSuccess, isPlaceholderData }: Answer) {
  return isSuccess && !isPlaceholderData;
}

/** Whether nothing more comes: an answer, or a refusal. */
export function isDone(answer: Answer) {
  return isCurrent(answer) || answer.isError;
}
