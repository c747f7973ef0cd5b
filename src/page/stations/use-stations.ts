// All stations that the reader may see: one query for slow changes, one stream for levels and states.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Outputs } from '../../client/index.ts';
import { isFinal } from '../../client/service-error.ts';
import { useApiClient } from '../state/api-client.tsx';
import { useIsSeen } from '../state/live-level.ts';

export type StationEntry = Outputs['stations']['list']['stations'][number];
type Now = Pick<StationEntry, 'name' | 'level_db' | 'scale' | 'state'>;

const EVERY_MS = 60_000;

/** Absolute levels for calibrated stations. */
const ABSOLUTE = { levels: 'absolute' } as const;

export function useStations() {
  const { root } = useApiClient();
  return useQuery({
    queryKey: ['stations.list'],
    queryFn: ({ signal }) => root.stations.list.query(ABSOLUTE, { signal }),
    refetchInterval: ({ state }) => (isFinal(state.error) ? false : EVERY_MS),
  });
}

/** The current levels and states, merged into the list; none while the stream is lost. */
export function useStationsNow(stations: readonly StationEntry[]) {
  const { root } = useApiClient();
  const isSeen = useIsSeen();
  const [now, setNow] = useState<ReadonlyMap<string, Now>>(new Map());
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (!isSeen) return;
    let wasThere = false;
    const { unsubscribe } = root.stations.live.subscribe(ABSOLUTE, {
      onConnectionStateChange: ({ state }) => {
        wasThere ||= state === 'pending';
        setLost(wasThere && state !== 'pending');
      },
      onData: ({ data }) =>
        setNow(
          (last) => new Map([...last, ...data.stations.map((station) => [station.name, station] as const)]),
        ),
    });
    return unsubscribe;
  }, [root, isSeen]);
  const nowOf = ({ name }: StationEntry) => (isLost ? NOT_KNOWN : levelOf(now.get(name)));
  return { rows: inOrder(stations.map((station) => ({ ...station, ...nowOf(station) }))), isLost };
}

const NOT_KNOWN = { level_db: null, state: 'unavailable' } as const;

const levelOf = (now: Now | undefined) =>
  now && { level_db: now.level_db, state: now.state, ...(now.scale && { scale: now.scale }) };

export const nameOf = ({ place_name, name }: StationEntry) => place_name ?? name;

/** Sorts stations: first those that are not recording, then those over their limit, then the rest by name. */
export function inOrder(stations: readonly StationEntry[]): StationEntry[] {
  const rank = ({ state, night }: StationEntry) =>
    state !== 'recording' ? 0 : night?.state === 'over' ? 1 : 2;
  return stations.toSorted((a, b) => rank(a) - rank(b) || nameOf(a).localeCompare(nameOf(b)));
}
