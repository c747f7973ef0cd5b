// All stations that the reader may see: one query for slow changes, one stream for levels and states.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Outputs } from '../../client/index.ts';
import { isFinal } from '../../client/service-error.ts';
import { useApiClient } from '../state/api-client.tsx';
import { useIsSeen } from '../state/live-level.ts';

export type StationEntry = Outputs['stations']['list']['stations'][number];
type Now = Pick<StationEntry, 'name' | 'level_db' | 'scale' | 'state' | 'ahead_until'> & {
  readonly time: string | null;
};

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
  now && {
    ...{ level_db: now.level_db, state: now.state, ahead_until: now.ahead_until },
    ...(now.scale && { scale: now.scale }),
    ...(now.time && { newest: now.time }),
  };

export const nameOf = ({ place_name, name }: StationEntry) => place_name ?? name;

/** Sorts stations: first those over their limit, by how much, then those that are not recording, then the rest by name. */
export function inOrder(stations: readonly StationEntry[]): StationEntry[] {
  const rank = ({ state, night }: StationEntry) =>
    night?.state === 'over' ? excessIn(night) : state === 'recording' ? -2 : -1;
  return stations.toSorted((a, b) => rank(b) - rank(a) || nameOf(a).localeCompare(nameOf(b)));
}

const excessIn = ({ assessed_db, limit_db }: NonNullable<StationEntry['night']>) =>
  Math.max((assessed_db ?? limit_db) - limit_db, 0);
