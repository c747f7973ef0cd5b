// The station beside this one with Fast maxima of the same microphone, as the recorder's `--also fast` makes it.
import { useQuery } from '@tanstack/react-query';
import type { Outputs } from '../../client/index.ts';
import { limitsText } from '../../contract/limits-text.ts';
import { useStations } from '../stations/use-stations.ts';
import { useApiClient } from './api-client.tsx';
import { rootUrl, stationHere } from './service-url.ts';
import type { Shown } from './shown.ts';
import { asInput } from './shown-interval.ts';

type AgainstLimits = Outputs['stats']['limits'];

/** @returns undefined if there is none, or if the reader may not see it */
export function useFastStation() {
  const here = stationHere();
  const name = here === undefined ? 'fast' : `${here}_fast`;
  return useStations().data?.stations.find((each) => each.name === name);
}

/** How the maxima of that station compare with the limits of this one; undefined while unknown. */
export function useFastMaxima({ interval, info }: Shown) {
  const { clientAt } = useApiClient();
  const station = useFastStation();
  const { limits, time_zone } = info;
  const input = { ...asInput(interval), limits: limitsText(limits), time_zone };
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['stats.limits', station?.name, input],
    queryFn: ({ signal }) =>
      clientAt(`${rootUrl()}${station?.path ?? ''}`).stats.limits.query(input, { signal }),
    enabled: station !== undefined && limits.some(({ max_limit_db }) => max_limit_db !== null),
    retry: false,
  });
  return isPlaceholderData ? undefined : data;
}

/** @returns the answer with the maxima of the other station, as far as it has any */
export function withMaxima(answer: AgainstLimits, fast: AgainstLimits | undefined): AgainstLimits {
  if (!fast) return answer;
  const maximaOf = (other: AgainstLimits['parts' | 'limits'][number] | undefined) => {
    if (!other || other.max_db === null) return {};
    const { max_db, max_over_count, max_state } = other;
    return { max_db: max_db + (fast.offset_db ?? 0) - (answer.offset_db ?? 0), max_over_count, max_state };
  };
  return {
    ...answer,
    limits: answer.limits.map((limit) => ({
      ...limit,
      ...maximaOf(fast.limits.find(({ start }) => start === limit.start)),
    })),
    parts: answer.parts.map((part) => ({
      ...part,
      ...maximaOf(fast.parts.find(({ from }) => from === part.from)),
    })),
  };
}
