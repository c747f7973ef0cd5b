// The `import` command: stores the points of files that export.csv or another logger wrote.
import { Command } from 'commander';
import { DEFAULT_STATION } from '../../contract/station.ts';
import { isMissing, listStations } from '../../db/station-schemas.ts';
import { BadInput } from '../bad-input.ts';
import type { RecorderIo } from '../recorder-io.ts';
import type { RereadableFile } from '../sources/readable-twice.ts';
import {
  assertReference,
  firstRows,
  levelsAdvice,
  remarksOn,
  showDryRun,
  type TableReport,
} from './dry-run.ts';
import { followInput } from './follow-input.ts';
import {
  declareImportOptions,
  type GivenImport,
  type ImportOptions,
  type Layout,
  readImportOptions,
} from './import-options.ts';
import { listTables } from './list-tables.ts';
import { changedWhileRead, type Reader, readTable, type TableCount } from './read-table.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { layoutOf, type StationBy, valuesOfStations } from './station-by.ts';
import { type ReadTable, storeTables } from './store-tables.ts';
import { createTableStatus } from './table-status.ts';
import { createTableSurvey, FAR_DAYS, type FarTime, type TableSurvey } from './table-survey.ts';
import { createTimeReader, type TimeReader } from './time-format.ts';

const ABOUT = `Stores the points of files: what GET /api/v1/export/csv writes, or with --columns what other loggers \
write. Compressed files (gzip) are known by their content. Nothing is stored if a line of any file is refused: all files are \
read once before. Then of each file all points are stored, or none; of more than 50,000, that many at a time, oldest first.`;

const EXAMPLES = `
  import points.csv
      what export.csv wrote
  import log.csv --columns "time=Date Time,level=LAeq" --zone Europe/Vienna --reference-db 100 --weighting A --dry-run
      shows what would be stored of another logger's file: sound pressure levels of 50 to 100 dB
  import points.csv --replace
      stores the file again, in place of the points that are there in its time
  import folder --columns date,time,-,level --time-format "DD.MM.YYYY HH:mm:ss" --zone +01:00
      every .csv, .tsv, .txt, .log and .dat file in a folder, packed or not
  import - --follow --columns time,level --reference-db 100
      lines of standard input as they come, such as those of mosquitto_sub -F '%U,%p' -t level
  import - --follow --columns time=time,level=value --station-by sensor --create
      those of many sensors, each in a station of its own

docs/how-to/import.md has the commands for the files of many loggers.`;

export function importCommand(open: () => RecorderIo): Command {
  return declareImportOptions(
    new Command('import').description(ABOUT).argument('<FILE...>', 'files, folders, or - for standard input'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], given: GivenImport) => {
      const options = readImportOptions(given);
      const io = open();
      try {
        await importTables(paths, options, io);
      } finally {
        io.status(undefined);
      }
    });
}

/** Each file is read twice: checked before anything is stored. */
async function importTables(paths: string[], options: ImportOptions, io: RecorderIo): Promise<void> {
  if (options.stationBy && io.station !== DEFAULT_STATION)
    throw new BadInput('--station-by: not allowed with --station');
  if (options.follows) return followInput(paths, options, io);
  await using files = await listTables(paths, io);
  const { layout, stationBy } = options;
  if (layout && stationBy) return await importStations(files.list, { ...options, layout, stationBy }, io);
  await finish(await checkTables(files.list, options, io), options, io);
}

/** Shows what was checked, or stores it. */
async function finish(report: Checked, options: ImportOptions, io: RecorderIo): Promise<void> {
  if (options.isDryRun) return showDryRun({ ...report, ...options }, io);
  assertReference(report);
  remarksOn(report).forEach(io.progress);
  await storeTables(report.tables, options.mode, options.as, io);
}

/** All stations are checked before anything is stored. */
async function importStations(
  files: readonly RereadableFile[],
  options: ImportOptions & { readonly layout: Layout; readonly stationBy: StationBy },
  io: RecorderIo,
): Promise<void> {
  const { layout, stationBy, isDryRun } = options;
  const values = await valuesOfStations(files, layout, stationBy, io);
  if (values.size === 0)
    return void (await checkTables(files, { ...options, layout: layoutOf(layout, stationBy) }, io));
  const db = await io.openDatabase(); // once for all
  try {
    const known = [DEFAULT_STATION, ...(await listStations(db)).map(({ name }) => name)];
    const missing = [...values.keys()].filter((name) => !known.includes(name));
    if (missing.length > 0 && !stationBy.creates)
      throw new BadInput(
        `There is no station ${missing.join(', ')}: --create makes what is missing, or \`npm run station -- add NAME\``,
      );
    const parts = [];
    for (const [station, own] of values) {
      const at = { ...io, ...io.at(station, !isDryRun && stationBy.creates) };
      const of = { ...options, layout: layoutOf(layout, stationBy, own) };
      const report = await checkTables(files, of, at);
      if (!isDryRun) assertReference(report);
      parts.push({ at, of, report });
    }
    let refused = 0;
    for (const { at, of, report } of parts) {
      const isMade = missing.includes(at.station) ? ', which would be made' : '';
      if (isDryRun) io.print(`\nStation ${at.station}${isMade}:`);
      await finish(report, of, at).catch((error) => {
        if (isDryRun && isMissing(error)) return;
        if (!(error instanceof BadInput) || io.signal.aborted) throw error;
        refused += 1;
        at.progress(error.message);
      });
    }
    if (refused > 0)
      throw new BadInput(
        `${refused} of ${parts.length} stations ${isDryRun ? 'would not be' : 'are not'} stored as a whole`,
      );
  } finally {
    await db.close();
  }
}

type Checked = TableReport & { readonly first: readonly string[] };

/** @throws BadInput for the first line that is refused, unless that is to be said or left out */
async function checkTables(
  files: readonly RereadableFile[],
  { layout, skipsBad, isDryRun, takesFar }: ImportOptions,
  io: RecorderIo,
): Promise<Checked> {
  const times = layout && createTimeReader(layout.timeFormat, layout.zone);
  const refusals = createRefusals();
  const first = firstRows();
  const tables: ReadTable[] = [];
  for (const [place, file] of files.entries()) {
    const readerOf = (
      verb: string,
      times: TimeReader | undefined,
      more: Omit<Reader, 'foreign' | 'show'>,
    ) => ({
      foreign: layout && times && { layout, times },
      show: createTableStatus(io, verb, place, files.length),
      ...more,
    });
    const timesBefore = times?.copy();
    const survey = createTableSurvey();
    const checked: TableCount = { count: 0, clipped: 0, zeros: 0 };
    const checking = readerOf('checked', times, { refusals, survey, isLeftOut: () => false });
    for await (const rows of readTable(file, checking, checked, io)) first.add(rows);
    const far = takesFar || !layout ? [] : refuseFar(survey, file, checked, refusals);
    const isLeftOut = isBeyond(far);
    first.drop(isLeftOut);
    const islands = (layout?.hold ? survey.heldIslands : survey.islands)
      .all()
      .filter(({ first }) => !isLeftOut(first));
    [checked.first, checked.last] = [islands[0]?.first, islands.at(-1)?.last];
    const storing = () =>
      readerOf('stored', timesBefore, {
        refusals: skipsBad ? createRefusals() : undefined,
        survey: undefined,
        isLeftOut,
      });
    tables.push({
      name: file.name,
      checked,
      islands,
      survey,
      rows: () => readAgain(file, storing(), checked, io),
    });
    const refused = isDryRun || skipsBad ? undefined : refusals.first();
    if (refused) throw new BadInput(`${refused}. ${levelsAdvice(tables, layout)}`.trim());
  }
  return {
    tables,
    refusals,
    repeated: times?.repeated() ?? 0,
    unit: times?.unit(),
    layout,
    first: first.rows(),
  };
}

/**
 * Refuses the times that lie far from the others, as a clock gives them that was never set.
 *
 * @returns these
 */
function refuseFar(
  survey: TableSurvey,
  { name }: RereadableFile,
  checked: TableCount,
  refusals: Refusals,
): readonly FarTime[] {
  const far = survey.far();
  for (const { time, line, count } of far) {
    const fault = `the time ${time} lies more than ${FAR_DAYS} days from the median of the file: the clock may not have been set. --far stores it, --skip-bad leaves it out`;
    refusals.add({ kind: 'the time lies far from the others', fault }, name, line, count);
    checked.count -= count;
  }
  return far;
}

function isBeyond(far: readonly FarTime[]): (time: string) => boolean {
  const days = new Set(far.map(({ time }) => time.slice(0, 10)));
  return days.size === 0 ? () => false : (time) => days.has(time.slice(0, 10));
}

/** @throws BadInput if there are other points than were checked */
async function* readAgain(file: RereadableFile, reader: Reader, checked: TableCount, io: RecorderIo) {
  const read: TableCount = { count: 0, clipped: 0, zeros: 0 };
  yield* readTable(file, reader, read, io);
  const isOther = (['count', 'first', 'last'] as const).some((key) => read[key] !== checked[key]);
  if (isOther) throw changedWhileRead(file);
}
