// The queries of the page.
import { useQuery } from '@tanstack/react-query';
import type { AudioMetricsClient } from '../../client/index.ts';
import { isFinal, isServiceError } from '../../client/service-error.ts';
import type { Levels } from '../../contract/periods.ts';
import { useApiClient } from './api-client.tsx';
import { type Info, periodIn, setSite } from './site.ts';

/** The input of a query. Some fields concern levels in an interval. */
type QueryInput = Readonly<Record<string, string | number>> & {
  readonly from?: string;
  readonly to?: string;
  readonly levels?: Levels;
};

const INFO_EVERY_MS = 30_000;
/** The polling interval while statistics catch up. */
const PROGRESS_EVERY_MS = 2000;
/** The timeout of a poll: a dead connection returns neither an answer nor an error. */
const PATIENCE_MS = 2500;

/** @param everyMs the polling interval */
export function useInfo(everyMs = INFO_EVERY_MS) {
  const { client } = useApiClient();
  return useQuery({
    queryKey: ['service.info'],
    async queryFn({ signal }) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      const options = { signal: AbortSignal.any([signal, patience]) };
      // the age of the newest point changes with each answer and would redraw everything
      const { newest_age_seconds: _, ...answer } = await client.service.info.query(undefined, options);
      const info = withHistory(answer);
      setSite(info);
      return info;
    },
    retryDelay: 1000,
    // no retry without a key: it would reset the form
    refetchInterval({ state: { data, error } }) {
      if (isFinal(error)) return false;
      return data?.rollup_refresh?.state === 'catching up' ? Math.min(everyMs, PROGRESS_EVERY_MS) : everyMs;
    },
  });
}

/** What was measured begins with history, and ends with it if no point is left. */
const withHistory = (info: Info): Info => ({
  ...info,
  oldest: [info.oldest, info.history_since].flatMap((time) => time ?? []).toSorted()[0] ?? null,
  newest: info.newest ?? info.points_since,
  state: info.state === 'empty' && info.points_since !== null ? 'offline' : info.state,
});

/** Intervals without absolute levels, keyed by their ends and the start of their newest period. */
const refused = new Set<string>();
const MOST_REFUSED = 1000;

const nameOf = ({ from, to = '' }: QueryInput) => `${from} ${to} ${periodIn({ to: Date.parse(to) })?.since}`;

/** @returns the input that gave an answer: stored levels if the interval has no absolute ones */
export function effectiveInput<Input extends QueryInput>(input: Input): Input {
  if (input.levels !== 'absolute' || !refused.has(nameOf(input))) return input;
  return { ...input, levels: 'stored' };
}

/** Requests absolute levels. Requests stored ones if the interval has points with two scales or without a scale. */
async function queryLevels<Input extends QueryInput, Answer>(
  input: Input,
  send: (input: Input) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(effectiveInput(input));
  } catch (error) {
    const { errors } = isServiceError(error) ? error.data : {};
    if (input.levels !== 'absolute' || !errors?.some(({ parameter }) => parameter === 'levels')) throw error;
    if (refused.size >= MOST_REFUSED) refused.clear();
    refused.add(nameOf(input));
    return send(effectiveInput(input));
  }
}

/**
 * @param operation for example `stats.series`
 * @param procedure the path of the operation in the client
 */
export function useApiQuery<Input extends QueryInput, Answer>(
  operation: string,
  input: Input,
  procedure: (
    client: AudioMetricsClient,
  ) => (input: Input, options: { signal: AbortSignal }) => Promise<Answer>,
  enabled = true,
) {
  const { client } = useApiClient();
  return useQuery({
    queryKey: [operation, input],
    queryFn: ({ signal }) => queryLevels(input, (sent) => procedure(client)(sent, { signal })),
    enabled,
  });
}
