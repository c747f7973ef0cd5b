// Refuses tables of several series, and names the column in which they differ, such as entity_id.
import { BadInput, type RereadableFile } from '../commands/input-files.ts';
import { namesText, shellText } from '../commands/progress.ts';
import type { ImportOptions } from './import-options.ts';
import type { LineRow } from './line-reader.ts';
import { createStretches, microsOfTime, type Repeats } from './repeats.ts';
import { stationByText } from './station-by.ts';

/** Values that describe a single row only. */
const FLAG = /^(?:yes|no|y|n|true|false|on|off|ok|valid|invalid|ja|nein|oui|non|si|sí|-)$/i;
/** Weightings and quantities. Levels of different ones cannot be compared. */
const KIND = /^(?:dB\s?\(?)?[ABCZ]\)?$|^L?[ACZ]?F?(?:eq|max|min|peak)$/i;

/** The parts of a time that a column of its own may have, in microseconds. */
const PARTS = { minute: 60_000_000, second: 1_000_000, millis: 1000 };

const isText = (text: string) => /\p{L}/u.test(text) && !/\d:\d/.test(text);

/** @throws BadInput if many rows are repeated, or if rows alternate between series with times of their own */
export function assertOneSeries(
  repeats: Repeats,
  files: readonly RereadableFile[],
  { layout, repeated, mode }: ImportOptions,
): void {
  const isMany = repeats.isMany();
  if (!layout || (isMany && repeated)) return;
  const rows = isMany ? overlapIn(repeats.sample()) : repeats.sample();
  let told = isMany ? `${repeats.told()}. ` : '';
  const keys = (rows[0]?.unread ?? []).flatMap(({ name: column, index }) => {
    const textOf = ({ fields }: LineRow) => fields?.[index]?.trim() ?? '';
    const part = isMany && partIn(rows, textOf);
    const field = layout.columns.by === 'name' ? `${part}=${column}` : `${part} for column ${index + 1}`;
    if (part) told += `If ${JSON.stringify(column)} is part of the time, add ${field} to --columns. `;
    const series = Map.groupBy(rows, textOf);
    const areApart = isMany ? haveOwnTimes : alternate;
    const isKey = series.size > 1 && !series.has('') && areApart(series, rows, textOf);
    return isKey ? [{ column, values: [...series.keys()] }] : [];
  });
  const key = keys.find(({ values }) => values.some(isText)) ?? keys[0];
  if (!isMany && !key) return;
  const keep = `--repeated keep${files.length > 1 && mode !== 'add' ? ' --add' : ''} stores all of them`;
  if (!key) throw new BadInput(`${told}--repeated drop leaves them out, ${keep}`);
  const { column, values } = key;
  const [one, all] = [values[0], '*'].map((value) => `--where ${shellText(`${column}=${value}`)}`);
  const by = stationByText({ column, stations: new Map() }, values);
  const apart = layout.by === undefined ? `. ${by} --create stores each in a station of its own` : '';
  throw new BadInput(
    `${told}${isMany ? 'It' : files[0]?.name} seems to hold several series, which would be mixed: its column ${JSON.stringify(column)} has ${namesText(values)}. Choose one with ${one}${apart}. ${isMany ? keep : `${all} accepts all`}`,
  );
}

/** Whether nearly all times, in microseconds, follow each other at about the same distance. */
function areEven(times: readonly number[]): boolean {
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const usual = steps.toSorted((a, b) => a - b)[steps.length >> 1] ?? 0;
  return steps.filter((step) => 1.5 * step < usual || step > 1.5 * usual).length <= steps.length / 100;
}
const timesOf = (rows: readonly LineRow[]) => rows.map(({ time }) => microsOfTime(time));

/** @returns the part of the time that a column has, if the times are then even */
function partIn(rows: readonly LineRow[], textOf: (row: LineRow) => string): string | undefined {
  const numbers = rows.map((row) => (/^\d{1,3}$/.test(textOf(row)) ? Number(textOf(row)) : Number.NaN));
  if (numbers.some(Number.isNaN)) return undefined;
  const finer = (length: number) => timesOf(rows).map((time, index) => time + length * (numbers[index] ?? 0));
  return Object.entries(PARTS).find(([, length]) => areEven(finer(length)))?.[0];
}

function repeatedIn(rows: readonly LineRow[]): LineRow[] {
  const stretches = createStretches();
  return rows.filter(({ time }) => stretches.has(microsOfTime(time)));
}

/** The rows from the earliest to the latest time that is repeated. */
function overlapIn(rows: readonly LineRow[]): LineRow[] {
  const times = Array.from(repeatedIn(rows), ({ time }) => time).sort();
  return rows.filter(({ time }) => time >= (times[0] ?? '') && time <= (times.at(-1) ?? ''));
}

type Series = ReadonlyMap<string, readonly LineRow[]>;

/** Whether values are names, or recur about as often as times do, and none has a time twice. */
function haveOwnTimes(series: Series, rows: readonly LineRow[]): boolean {
  const repeated = [...series.values()].reduce((sum, own) => sum + repeatedIn(own).length, 0);
  const times = rows.length - repeatedIn(rows).length;
  const areNames = 10 * series.size <= rows.length && [...series.keys()].every(isText);
  return (areNames || series.size * times <= 3 * rows.length) && repeated <= rows.length / 1000;
}

/** Whether values are of several kinds, or change often, unlike day and night: as words, or with even times of their own. */
function alternate(series: Series, rows: readonly LineRow[], textOf: (row: LineRow) => string): boolean {
  const values = [...series.keys()];
  const changes = rows.slice(1).filter((row, index) => textOf(row) !== textOf(rows[index] ?? row)).length;
  const isOften = changes >= Math.max(4, rows.length / 3) && 2 * values.length <= rows.length;
  const isWord = values.some((text) => isText(text) && !FLAG.test(text));
  const areRounds = () =>
    !areEven(timesOf(rows)) && [...series.values()].every((own) => areEven(timesOf(own)));
  return values.every((text) => KIND.test(text)) || (isOften && (isWord || areRounds()));
}
