// A station in a row: its level now, last night with its loudest cause, its last fortnight, and its last point.
import { useQuery } from '@tanstack/react-query';
import {
  causeText,
  levelText,
  listText,
  NOTHING,
  stateText,
  timeText,
  wholePercentText,
} from '../locale-format.ts';
import { Squares } from '../panels/night-strip.tsx';
import { useApiClient } from '../state/api-client.tsx';
import { DAY_MS } from '../state/calendar-intervals.ts';
import { nightsUpTo, partsByNight, STRIP } from '../state/nights.ts';
import { rootUrl } from '../state/service-url.ts';
import { asInput } from '../state/shown-interval.ts';
import { nightOf, scaleIn, timeZone } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { reasonText, verdictText } from '../verdict-text.ts';
import { nameOf, type StationEntry } from './use-stations.ts';

const { stations: words } = texts;

/** The address of a station's page, with the same view as this page. */
export const hrefOf = ({ path }: StationEntry) => `${rootUrl()}${path}${location.search}`;

export function StationRow({ station }: { station: StationEntry }) {
  const { state, level_db, night } = station;
  const scale = scaleIn(station.scale);
  return (
    <tr>
      <th scope="row">
        <a href={`${rootUrl()}${station.path}`}>{nameOf(station)}</a>
      </th>
      <td className="night">
        <Verdict of={station} />
      </td>
      <td className="fortnight">{night && <Fortnight of={station} night={night} />}</td>
      <td>{night?.state === 'over' && <Cause of={station} night={night} />}</td>
      <td className="level">
        {state === 'recording' ? levelText(level_db, scale) : NOTHING}{' '}
        {state === 'recording' && <small>{scale.unit}</small>}
      </td>
      <td className={`state ${state}`}>
        {listText([stateText(state, station.ahead_until), lastPointText(station)])}
      </td>
    </tr>
  );
}

const zoneOf = ({ time_zone }: StationEntry) => time_zone ?? timeZone();

/** The time of the newest point, with its date if it is older than a day. */
export function lastPointText(of: StationEntry): string {
  if (of.newest === null) return '';
  const isOfToday = Date.now() - Date.parse(of.newest) < DAY_MS;
  return isOfToday ? timeText(of.newest, 'clock', zoneOf(of)) : timeText(of.newest, 'minute');
}

interface NightProps {
  readonly of: StationEntry;
  readonly night: NonNullable<StationEntry['night']>;
}

function useStationClient({ path }: StationEntry) {
  const { clientAt } = useApiClient();
  return () => clientAt(`${rootUrl()}${path}`).stats;
}

/** What made the night loud: the episode with the most energy. */
function Cause({ of, night: { from, to } }: NightProps) {
  const stats = useStationClient(of);
  const { data } = useQuery({
    queryKey: ['stats.why', of.name, from, to],
    queryFn: ({ signal }) => stats().why.query({ from, to }, { signal }),
  });
  const cause = data?.parts[0]?.episodes[0];
  return cause && (cause.kind === 'background' ? texts.why.nothing : causeText(cause));
}

/** The nights up to the last one. */
function Fortnight({ of, night }: NightProps) {
  const stats = useStationClient(of);
  const nights = nightsUpTo(Date.parse(night.from) + 1, STRIP, zoneOf(of), nightOf(of.limits ?? []));
  const input = asInput({ from: nights[0]?.from ?? 0, to: Date.parse(night.to) });
  const { data } = useQuery({
    queryKey: ['stats.limits', of.name, input],
    queryFn: ({ signal }) => stats().limits.query(input, { signal }),
  });
  const oldest = data?.parts.find(({ point_count }) => point_count > 0)?.from ?? null;
  return <Squares nights={nights} partOf={partsByNight(data, oldest)} />;
}

/** Last night against its limit, with a sign for readers who do not see colours. */
export function Verdict({ of }: { of: StationEntry }) {
  const { night, name, scale } = of;
  if (!night) return <span className="soft">{words.noLimit}</span>;
  const { mark, verdict } = verdictText({ ...night, reason: null });
  if (night.state === 'over')
    return (
      <strong className="over">
        {mark} {verdict}
      </strong>
    );
  if (night.state === 'under') return `${mark} ${verdict}`;
  const measured = wholePercentText(night.measured_percent);
  const timeOf = (time: string) => timeText(time, 'clock', zoneOf(of));
  const why = reasonText(night, { scale, station: name, measured, timeOf });
  return <span className="soft">{night.state === null ? why : `${mark} ${verdict}: ${why}`}</span>;
}
