// Reads the --station option of commands.
import { InvalidArgumentError } from 'commander';
import { isAnyStation, STATION_NAME_RULE } from './contract/station.ts';

export function readStation(name: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError('It may be given once.');
  if (!isAnyStation(name)) throw new InvalidArgumentError(`It ${STATION_NAME_RULE}.`);
  return name;
}
