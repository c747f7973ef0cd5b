// Assigns the lines of a table to stations, by the values of one column.
import { BadInput, interrupted, linesOf, type RereadableFile } from '../commands/input-files.ts';
import { namesText, shellText } from '../commands/progress.ts';
import { isAnyStation, isStationName } from '../contract/station.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import type { ImportOptions, Layout } from './import-options.ts';
import { createLineReader } from './line-reader.ts';
import { openTable } from './open-table.ts';

export type StationBy = NonNullable<ImportOptions['stationBy']>;
/** Any other value than those of `stations` is itself a station name. */
type Mapping = Pick<StationBy, 'column' | 'stations'>;

/** A column or topic with more values does not identify microphones. */
export const MOST_STATIONS = 1000;

export const stationOf = ({ stations }: StationBy, value: string) =>
  stations.get(value) ?? (isAnyStation(value) ? value : undefined);

/** @returns the option to type, with a mapping for values that are not station names */
export function stationByText({ column, stations }: Mapping, values: readonly string[]): string {
  const all = new Map(stations);
  for (const value of values.filter((value) => !isAnyStation(value))) {
    const word = (value.split(/[./]/).at(-1) ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '_');
    const name = word.replace(/^_|_$/g, '').slice(0, 36);
    const begin = isStationName(name) ? name : `s_${name}`;
    const taken = new Set(all.values());
    let station = begin;
    for (let n = 2; taken.has(station); n++) station = `${begin}_${n}`;
    all.set(value, station);
  }
  const mapping = [...all].map((pair) => pair.join(':')).join();
  return `--station-by ${shellText(mapping === '' ? column : `${column}=${mapping}`)}`;
}

/** @returns the mapping to type for values that are not station names */
export const mappingAdvice = (by: StationBy, values: readonly string[]): string =>
  `${namesText(values)} in the column ${JSON.stringify(by.column)} cannot be a station name. Name the stations: ${stationByText(by, values)}`;

/** @returns each station's values, in order of appearance. @throws BadInput with the mapping to type for a bad name */
export async function valuesOfStations(
  files: readonly RereadableFile[],
  layout: Layout,
  by: StationBy,
  { signal }: Pick<RecorderIo, 'signal'>,
): Promise<Map<string, string[]>> {
  const values = new Set<string>();
  for (const file of files) {
    await using table = await openTable(file.path, signal);
    const read = createLineReader(layout);
    for await (const lines of linesOf(table.bytes, signal, layout.encoding ?? table.encoding)) {
      for (const { read: of } of read(lines)) if ('of' in of) values.add(of.of ?? '');
      if (values.size > MOST_STATIONS)
        throw new BadInput(
          `--station-by: the column ${by.column} has more than ${MOST_STATIONS} values: choose another column`,
        );
    }
    if (signal.aborted) throw interrupted();
  }
  const unnamed = [...values].filter((value) => stationOf(by, value) === undefined);
  if (unnamed.length > 0) throw new BadInput(mappingAdvice(by, unnamed));
  return Map.groupBy(values, (value) => stationOf(by, value) ?? '');
}
