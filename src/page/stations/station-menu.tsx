// The name of the station, with a menu of other stations if there are any. The keys [ and ] open the neighbours.
import { useEffect, useState } from 'react';
import { Menu } from '../panels/menu.tsx';
import { rootUrl, serviceUrl } from '../state/service-url.ts';
import { texts } from '../texts/texts.ts';
import { hrefOf, Verdict } from './station-row.tsx';
import { inOrder, nameOf, type StationEntry, useStations } from './use-stations.ts';

const { stations: words } = texts;

export function StationMenu({ name }: { name: string }) {
  const { data } = useStations();
  const [filter, setFilter] = useState('');
  const stations = data?.stations ?? [];
  useNeighbourKeys(stations);
  if (stations.length < 2) return name;
  const found = inOrder(stations).filter((each) =>
    nameOf(each).toLocaleLowerCase().includes(filter.toLocaleLowerCase()),
  );
  return (
    <Menu label={name} className="plain chosen">
      <input
        type="search"
        aria-label={words.filter}
        placeholder={words.filter}
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <ul className="station-links">
        {found.map((station) => (
          <li key={station.name}>
            <a href={hrefOf(station)} aria-current={isHere(station) ? 'page' : undefined}>
              {nameOf(station)}
            </a>{' '}
            <span className={`state ${station.state}`}>{texts.states[station.state]}</span>{' '}
            <Verdict of={station} />
          </li>
        ))}
      </ul>
      <a href={`${rootUrl()}/stations/`}>{words.all}</a>
    </Menu>
  );
}

const isHere = ({ path }: StationEntry) => `${rootUrl()}${path}` === `${serviceUrl()}/`;

/** The neighbours in the order of names. */
function useNeighbourKeys(stations: readonly StationEntry[]): void {
  useEffect(() => {
    const onKey = ({ key, target, metaKey }: KeyboardEvent) => {
      const isTyping = target instanceof Element && target.closest('input, select, textarea');
      const by = key === '[' ? -1 : key === ']' ? 1 : 0;
      if (by === 0 || isTyping || metaKey) return;
      const byName = stations.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
      const next = byName[byName.findIndex(isHere) + by];
      if (next) location.href = hrefOf(next);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [stations]);
}
