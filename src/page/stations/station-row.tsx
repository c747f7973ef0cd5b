// A station in a row: its name, its state, its level, last night, and its last 24 hours against its own limit.
import { clockText, isAtFloor, levelText, limitText, NOTHING, wholePercentText } from '../locale-format.ts';
import { HOUR_MS } from '../state/calendar-intervals.ts';
import { rootUrl } from '../state/service-url.ts';
import { limitSteps, RANGE_DB, scaleIn, timeZone } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { reasonText, sentence, verdictText } from '../verdict-text.ts';
import { nameOf, type StationEntry } from './use-stations.ts';

const { stations: words } = texts;

/** The address of a station's page, with the same view as this page. */
export const hrefOf = ({ path }: StationEntry) => `${rootUrl()}${path}${location.search}`;

export function StationRow({ station, now }: { station: StationEntry; now: number }) {
  const { state, level_db } = station;
  const scale = scaleIn(station.scale);
  return (
    <tr>
      <th scope="row">
        <a href={`${rootUrl()}${station.path}`}>{nameOf(station)}</a>
      </th>
      <td className={`state ${state}`}>{texts.states[state]}</td>
      <td>
        {state === 'recording' ? levelText(level_db, scale) : NOTHING}{' '}
        {state === 'recording' && <small>{scale.unit}</small>}
      </td>
      <td>
        <Verdict of={station} />
      </td>
      <td className="day">
        <Day station={station} now={now} />
      </td>
    </tr>
  );
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
  const timeOf = (time: string) => clockText(time, of.time_zone ?? timeZone());
  const why = reasonText(night, { scale, station: name, measured, timeOf });
  return <span className="soft">{night.state === null ? why : `${mark} ${verdict}: ${why}`}</span>;
}

function Day({ station, now }: { station: StationEntry; now: number }) {
  const { hours, limits, night, time_zone } = station;
  if (!hours || !time_zone) return null;
  const scale = scaleIn(station.scale);
  if (!scale.hasEnergy) return <span className="soft">{sentence(texts.reasons.energy_of_maxima())}</span>;
  const first = Math.floor(now / HOUR_MS) * HOUR_MS - (hours.length - 1) * HOUR_MS;
  const steps = limitSteps(limits ?? [], { from: first, to: first + hours.length * HOUR_MS }, time_zone);
  const levels = hours.filter((level) => level !== null);
  const share = (db: number) => Math.min(Math.max((db - scale.floor) / RANGE_DB, 0), 1);
  const said = words.hours(
    levelText(levels.length > 0 ? Math.min(...levels) : null, scale),
    levelText(levels.length > 0 ? Math.max(...levels) : null, scale),
  );
  return (
    <span className="bars" role="img" aria-label={said}>
      {hours.map((level, index) => {
        const start = first + index * HOUR_MS;
        const middle = start + HOUR_MS / 2;
        const step = steps.find(({ from, to }) => from <= middle && middle < to);
        const limit = scale.isAbsolute && night?.reason !== 'other_weighting' ? step?.db : undefined;
        const isOver = level !== null && !isAtFloor(level, scale) && limit !== undefined && level > limit;
        return (
          <i
            key={start}
            className={isOver ? 'over' : ''}
            style={{ height: `${level === null ? 0 : 8 + 92 * share(level)}%` }}
            title={
              limit === undefined
                ? levelText(level, scale)
                : `${levelText(level, scale)} / ${limitText(limit)}`
            }
          />
        );
      })}
    </span>
  );
}
