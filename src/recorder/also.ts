// The further levels that `--also` requests. Each is measured from the same sound, and stored in its own station.
import { DEFAULT_STATION, isStationName } from '../contract/station.ts';
import { AppError } from '../errors.ts';
import type { MeasuringOptions } from './measuring-options.ts';

export const ALSO = ['fast', 'C'] as const;
export type Also = (typeof ALSO)[number];

/** How each level is measured, where this differs from the first level. */
export const FURTHER = {
  fast: { timeWeighting: 'fast' },
  C: { weighting: 'C', timeWeighting: undefined },
} as const;

function nameOf(also: Also, station: string): string {
  const name = also.toLowerCase();
  return station === DEFAULT_STATION ? name : `${station}_${name}`;
}

/** @returns the stations that hold further levels of the given station's microphone */
export const furtherLevelsOf = (station: string, stations: readonly string[]) =>
  stations.filter((name) => ALSO.some((also) => name === nameOf(also, station)));

type Weighted = Pick<MeasuringOptions, 'weighting' | 'timeWeighting'>;

/** @returns station and options of each further level, in order. @throws AppError BAD_REQUEST for too long a name */
export const alsoOf = <Options extends Weighted & { readonly also: readonly Also[] }>(
  options: Options,
  station: string,
) =>
  options.also.map((also) => {
    const name = nameOf(also, station);
    if (!isStationName(name))
      throw new AppError(
        'BAD_REQUEST',
        `--also: its station would be ${name}, which is longer than 40 characters: choose a shorter --station`,
      );
    return { station: name, level: { ...options, also: [], ...FURTHER[also] } };
  });

/** @returns the first further level that the first level, or another one before it, already is */
export const repeatedLevel = ({ also, ...first }: Weighted & { readonly also: readonly Also[] }) =>
  also.find((each, index) => {
    const { weighting, timeWeighting } = { ...first, ...FURTHER[each] };
    const isFirst = weighting === first.weighting && timeWeighting === first.timeWeighting;
    return isFirst || also.indexOf(each) < index;
  });
