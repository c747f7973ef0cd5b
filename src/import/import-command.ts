// The `import` command: stores the points of files that export.csv or another logger wrote.
import { Command } from 'commander';
import { BadInput, type RereadableFile } from '../commands/input-files.ts';
import { createTimeCheck, implausible } from '../commands/times/time-check.ts';
import { createTimeReader } from '../commands/times/time-format.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { periodInForce } from '../database/periods.ts';
import { isMissing, listStations } from '../database/station-schemas.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { openPoints } from '../recorder/storing/open-points.ts';
import { assertReference, levelsAdvice, remarksOn, SHOWN, showDryRun, type TableReport } from './dry-run.ts';
import { NoReference } from './export-reader.ts';
import { followInput } from './follow-input.ts';
import {
  declareImport,
  type GivenImport,
  type ImportOptions,
  type Layout,
  readImport,
} from './import-options.ts';
import { listTables } from './open-table.ts';
import { readTable } from './read-table.ts';
import { createRefusals } from './refusals.ts';
import { createRepeats } from './repeats.ts';
import { assertOneSeries } from './series-key.ts';
import { type StationBy, valuesOfStations } from './station-by.ts';
import { createTableStatus, type ReadTable, storeTables } from './store-tables.ts';
import { createTableSurvey, FAR_DAYS } from './table-survey.ts';

const ABOUT = `Stores the points of files: what GET /api/v1/export/csv writes, or with --columns files from other loggers. It \
detects gzip, zstd and Parquet by content. It first checks all files, and stores nothing if a line of any file is refused. It then stores \
each file completely or not at all. Files of more than 50,000 points are stored in steps of that size, oldest first.`;

const EXAMPLES = `
  import points.csv
      a file from export.csv
  import log.csv --columns "time=Date Time,level=LAeq" --zone Europe/Vienna --reference-db 100 --weighting A --dry-run
      shows what it would store from another logger's file: sound pressure levels of 50 to 100 dB
  import points.csv --replace
      replaces the existing points that the file overlaps
  import folder --columns date,time,-,level --time-format "DD.MM.YYYY HH:mm:ss" --zone +01:00
      every file of a folder that is a table, whatever its name
  import --mqtt mqtt://broker/+/level --columns level --station-by topic:1 --reference-db 100
      levels that sensors publish, each in the station that its topic names, at the time of its arrival
  import - --follow --columns time=time,level=value --station-by sensor --create
      lines from many sensors, each stored in a station of its own

docs/how-to/import.md has the commands for the files of many loggers.`;

export const importCommand = (open: () => RecorderIo): Command =>
  declareImport(
    new Command('import').description(ABOUT).argument('[FILE...]', 'files, folders, or - for standard input'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], given: GivenImport, command: Command) => {
      const options = readImport(given, command);
      const reads = !options.listen && !options.broker;
      if (paths.length === 0 && reads) command.error("missing required argument 'FILE'");
      if (paths.length > 0 && !reads) command.error("argument 'FILE': not allowed with --listen or --mqtt");
      const io = open();
      try {
        await importTables(paths, options, io);
      } finally {
        io.status(undefined);
      }
    });

/** Reads each file twice, to check all files before it stores anything. */
async function importTables(paths: string[], options: ImportOptions, io: RecorderIo): Promise<void> {
  if (options.stationBy && io.station !== DEFAULT_STATION)
    throw new BadInput('--station-by: not allowed with --station');
  if (options.listen && io.station !== DEFAULT_STATION)
    throw new BadInput(
      '--listen: not allowed with --station, because the address of a post names its station',
    );
  if (options.listen) return (await import('./listen.ts')).listenForPosts(options.listen, options, io);
  if (options.broker) return (await import('./subscribe.ts')).subscribeTo(options.broker, options, io);
  if (options.follow) return followInput(paths, options, io);
  await using open = new AsyncDisposableStack();
  const files = await listTables(paths, io, open);
  const { layout, stationBy } = options;
  if (layout && stationBy) return await importStations(files, { ...options, layout, stationBy }, open, io);
  const report = await checkTables(files, options, io).catch(async (error) => {
    if (!(error instanceof NoReference)) throw error;
    await using db = await openPoints(io);
    const referenceDb = (await periodInForce(db, error.time))?.reference_db ?? null;
    if (referenceDb === null) throw error;
    return checkTables(files, { ...options, referenceDb }, io);
  });
  await finish(report, options, io);
}

async function finish(report: TableReport, options: ImportOptions, io: RecorderIo): Promise<void> {
  if (options.dryRun) return showDryRun(report, options, io);
  assertReference(report);
  remarksOn(report).forEach(io.progress);
  await storeTables(report.tables, options.mode, options.as, io);
}

/** Checks all stations before it stores anything. */
async function importStations(
  files: readonly RereadableFile[],
  options: ImportOptions & { readonly layout: Layout; readonly stationBy: StationBy },
  open: AsyncDisposableStack,
  io: RecorderIo,
): Promise<void> {
  const { layout, stationBy, dryRun } = options;
  const values = await valuesOfStations(files, layout, stationBy, io);
  if (values.size === 0) return void (await checkTables(files, options, io));
  const db = await io.openDatabase(); // one connection for all
  open.defer(() => db.close());
  const known = [DEFAULT_STATION, ...(await listStations(db)).map(({ name }) => name)];
  const missing = [...values.keys()].filter((name) => !known.includes(name));
  if (missing.length > 0 && !stationBy.creates)
    throw new BadInput(
      `There is no station ${missing.join(', ')}: create missing stations with --create, or with \`npm run station -- add NAME\``,
    );
  const parts = [];
  for (const [station, own] of values) {
    const at = { ...io, ...io.at(station, !dryRun && stationBy.creates) };
    const where = [...layout.where, { name: stationBy.column, values: own }];
    const of = { ...options, layout: { ...layout, where } };
    const report = await checkTables(files, of, at);
    if (!dryRun) assertReference(report);
    parts.push({ at, of, report });
  }
  let refused = 0;
  for (const { at, of, report } of parts) {
    const isMade = missing.includes(at.station) ? ', which would be created' : '';
    if (dryRun) io.print(`\nStation ${at.station}${isMade}:`);
    await finish(report, of, at).catch((error) => {
      if (dryRun && isMissing(error)) return;
      if (!(error instanceof BadInput) || io.signal.aborted) throw error;
      refused += 1;
      at.progress(error.message);
    });
  }
  if (refused > 0)
    throw new BadInput(
      `${refused} of ${parts.length} stations ${dryRun ? 'would not be' : 'were not'} stored completely`,
    );
}

/** @throws BadInput for the first refused line, unless such lines are to be reported or skipped */
async function checkTables(
  files: readonly RereadableFile[],
  options: ImportOptions,
  io: RecorderIo,
): Promise<TableReport> {
  const { layout, skipBad, dryRun, repeated } = options;
  const repeats = createRepeats(repeated === 'drop');
  const now = io.clock();
  const check = options.far ? undefined : createTimeCheck(() => now);
  const times = layout && createTimeReader(layout.timeFormat, { ...layout, check });
  const refusals = createRefusals();
  let first: string[] = [];
  const tables: ReadTable[] = [];
  for (const [index, file] of files.entries()) {
    const { name } = file;
    const before = { times: times?.copy(), repeats: repeated === 'drop' ? repeats.copy() : undefined };
    const show = (verb: string) => createTableStatus(io, verb, index, files.length);
    const checked = createTableSurvey();
    const checking = { ...options, check, times, repeats, refusals, survey: checked, show: show('checked') };
    for await (const rows of readTable(file, checking, io))
      first.push(...rows.split('\n', SHOWN - first.length).filter((row) => row !== ''));
    const far = options.far || !layout ? [] : checked.far();
    for (const { first, line, count } of far) {
      refusals.add(implausible(first, `lies more than ${FAR_DAYS} days from the others`), name, line, count);
      checked.count -= count;
    }
    const isLeftOut = (time: string) => far.some(({ first, last }) => first <= time && time <= last);
    first = first.filter((row) => !isLeftOut(row.split(',', 1).join()));
    const islands = checked.islands().filter(({ first }) => !isLeftOut(first));
    [checked.first, checked.last] = [islands[0]?.first, islands.at(-1)?.last];
    const rows = () => {
      const own = { survey: createTableSurvey(), refusals: skipBad && createRefusals() };
      return readTable(
        file,
        { ...checking, ...before, ...own, show: show('stored'), checked, isLeftOut },
        io,
      );
    };
    const isDropped = checked.count === 0 && repeated === 'drop' && repeats.count() > 0;
    if (!isDropped) tables.push({ name, checked, islands, rows });
    const refused = dryRun || skipBad ? undefined : refusals.first();
    if (refused || index === files.length - 1) assertOneSeries(repeats, files, options);
    if (refused) throw new BadInput(`${refused}. ${levelsAdvice({ tables, layout })}`.trim());
  }
  return { tables, refusals, repeats, times, layout, first };
}
