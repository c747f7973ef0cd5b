// The figures of stats.summary for the interval on screen, and why figures are missing.
import { useQuery } from '@tanstack/react-query';
import {
  countText,
  hertzText,
  lengthText,
  levelText,
  NOTHING,
  percentText,
  summaryLeqText,
  windowText,
} from '../locale-format.ts';
import { useApiClient } from '../state/api-client.tsx';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { useFastStation } from '../state/fast-station.ts';
import { rootUrl, serviceUrl, stationHere } from '../state/service-url.ts';
import { type Shown, useSummary } from '../state/shown.ts';
import { asInput } from '../state/shown-interval.ts';
import { periodIn, type Scale, scaleIn } from '../state/site.ts';
import { hrefOf } from '../stations/station-row.tsx';
import { useStations } from '../stations/use-stations.ts';
import { texts } from '../texts/texts.ts';
import { Meaning, type MeaningName } from './menu.tsx';
import { PointsEnd } from './notices.tsx';
import { Panel } from './panel-frame.tsx';

const { figures: words } = texts;

export function FiguresPanel({ shown: { interval } }: { shown: Shown }) {
  const query = useSummary({ interval });
  const summary = query.data;
  const second = useSecondLevel(interval, summary?.excluded_seconds);
  const scale = scaleIn(summary?.scale);
  const { unit, maximum } = scale;
  const level = (db: number | null | undefined) => levelText(db, scale);
  const tiles: Tile[] = [
    ['Leq', summary ? summaryLeqText(summary, scale) : NOTHING, unit, 'leq'],
    ['L10', level(summary?.l10_db), unit, 'l10'],
    ['L50', level(summary?.l50_db), unit, 'l50'],
    ['L90', level(summary?.l90_db), unit, 'l90'],
    [maximum, level(summary?.max_db), unit, 'max'],
    ...second,
    [words.silence, percentText(summary?.silence_percent), '', 'silence'],
    [words.dominant, hertzText(summary?.dominant_frequency_hz), '', 'dominant'],
    [words.points, summary ? countText(summary.point_count) : '', '', 'points'],
  ];
  return (
    <Panel title={words.title} query={query}>
      <dl className="tiles">
        {tiles.map(([name, value, unit, meaning]) => (
          <div key={name}>
            <dt>
              {name} <Meaning of={meaning} />
            </dt>
            <dd>
              {value} {unit && <small>{unit}</small>}
            </dd>
          </div>
        ))}
      </dl>
      {summary && summary.excluded_seconds > 0 && (
        <p className="hint">{texts.leftOut(lengthText(summary.excluded_seconds))}</p>
      )}
      <PointsEnd of={summary} />
      <NoEnergy scale={scale} interval={interval} />
      {scale.unit === 'dBFS' && <HowToCalibrate />}
    </Panel>
  );
}

type Tile = readonly [name: string, value: string, unit: string, meaning: MeaningName];

/**
 * The maximum of the second level of the same microphone; none without such a station or without absolute levels. Each
 * station has its own exclusions. If they differ, the maximum may come from time that the other figures exclude.
 */
function useSecondLevel(interval: TimeSpan, excluded_seconds: number | undefined): Tile[] {
  const { clientAt } = useApiClient();
  const station = useFastStation();
  const input = { ...asInput(interval), levels: 'absolute' as const };
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['stats.summary', station?.name, input],
    queryFn: ({ signal }) =>
      clientAt(`${rootUrl()}${station?.path ?? ''}`).stats.summary.query(input, { signal }),
    enabled: station?.scale?.levels === 'absolute', // otherwise the service refuses
    retry: false,
  });
  if (!data || isPlaceholderData || data.scale.statistic !== 'max') return [];
  if (data.excluded_seconds !== excluded_seconds) return [];
  const scale = scaleIn(data.scale);
  return [[scale.maximum, levelText(data.max_db, scale), scale.unit, 'max']];
}

/** The levels are maxima of windows, so their energy mean is not that of the sound. */
export function NoEnergy({ scale, interval }: { scale: Scale; interval: TimeSpan }) {
  if (scale.hasEnergy) return null;
  const { interval_ms = null } = periodIn(interval) ?? {};
  return (
    <p className="hint">
      {texts.noEnergy(interval_ms === null ? '' : windowText(interval_ms))} <Energy />
    </p>
  );
}

/** Where the microphone's Leq is: in the station whose second level this is, if there is one. */
function Energy() {
  const here = stationHere();
  const name = here === 'fast' ? 'default' : here?.replace(/_fast$/, '');
  const station = useStations().data?.stations.find((each) => each.name === name && name !== here);
  return station ? <a href={hrefOf(station)}>{texts.energyOf(station.name)}</a> : texts.energyNowhere;
}

/** Explains levels without a reference, and how to calibrate. */
export function HowToCalibrate() {
  return (
    <p className="hint">
      {texts.calibrate.text} <code>npm run record -- calibrate FILE.wav --level 94</code>.{' '}
      <a href={`${serviceUrl()}/manual/how-to/calibrate.html`}>{texts.calibrate.more}</a>
    </p>
  );
}
