// The state of a station by its newest point: one rule for service.info, stations.list, stations.live and the metrics.
import { microsOf } from '../../contract/instant.ts';
import type { StationState } from '../../contract/station.ts';
import { leastGap } from '../stats/gaps.ts';
import type { Station } from './station.ts';

/** In seconds; 0 for a time in the future. */
export const ageOf = (time: string, now: string) => Math.max(0, Number(microsOf(now) - microsOf(time)) / 1e6);

/** @param spacing measures the spacing of the newest points; called only if the newest is some seconds old */
export async function stationState(
  { recorder }: Pick<Station, 'recorder'>,
  newest: string | null,
  now: string,
  spacing: () => Promise<number | null>,
): Promise<StationState> {
  if (newest !== null) {
    const age = ageOf(newest, now);
    if (age < leastGap(null) || age < leastGap(await spacing())) return 'recording';
  }
  if (recorder()?.running) return 'silent_recorder';
  return newest === null ? 'empty' : 'offline';
}
