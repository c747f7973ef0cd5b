// Finds the spools of stations: folders that recorders create in the default station's spool.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../commands/progress.ts';
import { DEFAULT_STATION, isStationName } from '../../../contract/station.ts';
import { startLoop } from '../../../loop.ts';

const LOOK_EVERY_MS = 1000;
const AGAIN_MS = 60_000;

/** @param folder the default station's spool */
export const stationSpool = (folder: string, station: string) =>
  station === DEFAULT_STATION ? folder : join(folder, 'stations', station);

/** Looks for spools of stations until stopped. @param found called for each spool at each look */
export function watchStationSpools(
  folder: string,
  found: (station: string) => Promise<void>,
  report: (line: string) => void,
) {
  async function look(): Promise<number> {
    const names = await readdir(join(folder, 'stations')).catch(() => []);
    for (const name of names.filter(isStationName)) await found(name);
    return LOOK_EVERY_MS;
  }
  return startLoop(look, (error) => {
    report(`Warning: ${messageOf(error)}`);
    return AGAIN_MS;
  });
}
