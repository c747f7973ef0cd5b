// The second level that `--also` asks for: of the same sound, in a station of its own.
import { DEFAULT_STATION, isStationName } from '../contract/station.ts';
import { AppError } from '../errors.ts';

export const ALSO = ['fast'] as const;
export type Also = (typeof ALSO)[number];

const nameOf = (also: Also, station: string) => (station === DEFAULT_STATION ? also : `${station}_${also}`);

/** @returns those of the stations that hold a second level of the microphone of a station */
export const secondLevelsOf = (station: string, stations: readonly string[]) =>
  stations.filter((name) => ALSO.some((also) => name === nameOf(also, station)));

/**
 * @returns the station of the second level beside that of the first
 * @throws AppError BAD_REQUEST if its name would be too long
 */
export function alsoStation(also: Also, station: string): string {
  const name = nameOf(also, station);
  if (isStationName(name)) return name;
  throw new AppError(
    'BAD_REQUEST',
    `--also: the station of the second level would be ${name}, and the name of a station has at most 40 characters`,
  );
}

/** The options of the second level; undefined if none is asked for. */
export const alsoOf = <Options extends { readonly also: Also | undefined }>({ also, ...others }: Options) =>
  also && { ...others, also: undefined, timeWeighting: also };
