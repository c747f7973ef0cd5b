// The figures of stats.summary for the interval on screen, and why figures are missing.
import { useQuery } from '@tanstack/react-query';
import type { Outputs } from '../../client/index.ts';
import {
  countText,
  hertzText,
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
import { useSummary } from '../state/shown.ts';
import { asInput } from '../state/shown-interval.ts';
import { periodIn, type Scale, scaleIn } from '../state/site.ts';
import { hrefOf } from '../stations/station-row.tsx';
import { useStations } from '../stations/use-stations.ts';
import { texts } from '../texts/texts.ts';
import { Meaning, type MeaningName } from './menu.tsx';

const { figures: words } = texts;

type Summary = Outputs['stats']['summary'];

interface Props {
  readonly summary: Summary | undefined;
  readonly scale: Scale;
  /** The second level of the same microphone. */
  readonly second: SecondLevel | undefined;
}

export function SummaryFigures({ summary, scale, second }: Props) {
  const { unit, maximum } = scale;
  const level = (db: number | null | undefined) => levelText(db, scale);
  const ofSecond: Tile[] = second
    ? [[second.scale.maximum, levelText(second.max_db, second.scale), second.scale.unit, 'max']]
    : [];
  const tiles: Tile[] = [
    ['Leq', summary ? summaryLeqText(summary, scale) : NOTHING, unit, 'leq'],
    ['L10', level(summary?.l10_db), unit, 'l10'],
    ['L50', level(summary?.l50_db), unit, 'l50'],
    ['L90', level(summary?.l90_db), unit, 'l90'],
    [maximum, level(summary?.max_db), unit, 'max'],
    ...ofSecond,
    [words.silence, percentText(summary?.silence_percent), '', 'silence'],
    [words.dominant, hertzText(summary?.dominant_frequency_hz), '', 'dominant'],
    [words.points, summary ? countText(summary.point_count) : '', '', 'points'],
  ];
  return (
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
  );
}

type Tile = readonly [name: string, value: string, unit: string, meaning: MeaningName];

interface SecondLevel {
  readonly max_db: number | null;
  readonly scale: Scale;
}

/**
 * Each station has its own exclusions. If they differ, the maximum may come from time that the other figures exclude.
 *
 * @returns the maximum of an interval; undefined without such a station, without absolute levels, or with different
 *   exclusions
 */
export function useSecondLevel(interval: TimeSpan): SecondLevel | undefined {
  const { clientAt } = useApiClient();
  const station = useFastStation();
  const input = { ...asInput(interval), levels: 'absolute' as const };
  const { data: first } = useSummary({ interval });
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['stats.summary', station?.name, input],
    queryFn: ({ signal }) =>
      clientAt(`${rootUrl()}${station?.path ?? ''}`).stats.summary.query(input, { signal }),
    enabled: station?.scale?.levels === 'absolute', // otherwise the service refuses
    retry: false,
  });
  if (!data || isPlaceholderData || data.scale.statistic !== 'max') return undefined;
  if (data.excluded_seconds !== first?.excluded_seconds) return undefined;
  return { max_db: data.max_db, scale: scaleIn(data.scale) };
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
