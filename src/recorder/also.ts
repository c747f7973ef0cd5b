// The second level that `--also` requests. It is measured from the same sound, and stored in its own station.
import { DEFAULT_STATION, isStationName } from '../contract/station.ts';
import { AppError } from '../errors.ts';

export const ALSO = ['fast'] as const;
export type Also = (typeof ALSO)[number];

const nameOf = (also: Also, station: string) => (station === DEFAULT_STATION ? also : `${station}_${also}`);

/** @returns the stations that hold a second level of the given station's microphone */
export const secondLevelsOf = (station: string, stations: readonly string[]) =>
  stations.filter((name) => ALSO.some((also) => name === nameOf(also, station)));

/**
 * @returns the name of the second level's station
 * @throws AppError BAD_REQUEST if its name would be too long
 */
export function alsoStation(also: Also, station: string): string {
  const name = nameOf(also, station);
  if (isStationName(name)) return name;
  throw new AppError(
    'BAD_REQUEST',
    `--also: the second level's station would be ${name}, which is longer than 40 characters: choose a shorter --station`,
  );
}

/** The options of the second level; undefined if none is requested. */
export const alsoOf = <Options extends { readonly also: Also | undefined }>({ also, ...others }: Options) =>
  also && { ...others, also: undefined, timeWeighting: also };
