// The second level of the same microphone, which `--also fast` stores as a station. Its maximum appears beside Leq.
import { useQuery } from '@tanstack/react-query';
import { useStations } from '../stations/use-stations.ts';
import { useApiClient } from './api-client.tsx';
import { scaleIn } from './scale.ts';
import { rootUrl, stationHere } from './service-url.ts';
import { useSummary } from './shown.ts';
import { asInput } from './shown-interval.ts';
import type { TimeSpan } from './time-span.ts';

export interface SecondLevel {
  /** For example LAFmax. */
  readonly name: string;
  readonly max_db: number | null;
  readonly scale: ReturnType<typeof scaleIn>;
}

/**
 * Each station has its own exclusions. If they differ, the maximum may come from time that the other figures exclude.
 *
 * @returns the maximum of an interval; undefined without such a station, without absolute levels, or with different
 *   exclusions
 */
export function useSecondLevel(interval: TimeSpan): SecondLevel | undefined {
  const { clientAt } = useApiClient();
  const here = stationHere();
  const name = here === undefined ? 'fast' : `${here}_fast`;
  const station = useStations().data?.stations.find((each) => each.name === name);
  const input = { ...asInput(interval), levels: 'absolute' as const };
  const { data: first } = useSummary({ interval });
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['stats.summary', name, input],
    queryFn: ({ signal }) =>
      clientAt(`${rootUrl()}${station?.path ?? ''}`).stats.summary.query(input, { signal }),
    enabled: station?.scale?.levels === 'absolute', // otherwise the service refuses
    retry: false,
  });
  if (!data || isPlaceholderData || data.scale.statistic !== 'max') return undefined;
  if (data.excluded_seconds !== first?.excluded_seconds) return undefined;
  const scale = scaleIn(data.scale);
  return { name: scale.maximum, max_db: data.max_db, scale };
}
