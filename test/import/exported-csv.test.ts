import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createRun, file, importCsv, imported, messageOf, refusedImport } from '../recorder/run.ts';

const HEADER = 'time,rms_db,frequency_hz,is_silence';
const ROW = '2026-01-01T00:00:00.123456Z,-12.34,440,false';

const OF_FOREIGN = '--zone: needs --columns: files from export.csv need no such option';

async function rowsOf(text: string | Buffer): Promise<string[]> {
  const { db } = await imported([file(text)]);
  expect(db.closed).toBe(true);
  return db.rows;
}

describe('The import', () => {
  it('stores every row as written, including nulls and the smallest levels', async () => {
    const rows = [
      ROW,
      '2026-01-01T00:00:01.000000Z,,,true',
      '2026-01-01T00:00:01.000000Z,-1e-05,100,false',
      '0001-01-01T00:00:00.000000Z,-50,8000,true',
      '9999-12-31T23:59:59.999999Z,0,,false',
    ];
    const path = file(`${HEADER}\n${rows.join('\n')}\n`);
    expect(await refusedImport([path])).toMatch(/line 5: the time .* lies before 1990.*--far.* 2 refused/);
    const run = await imported([path, '--far']);
    expect(run.db.rows).toEqual(rows);
    expect(run.lines).toEqual([
      'No level in 1 of 5 points.',
      'Stored 5 points, 0001-01-01T00:00:00.000000Z to 9999-12-31T23:59:59.999999Z.',
    ]);
  });

  it.each([
    ['Windows line ends', `${HEADER}\r\n${ROW}\r\n`],
    ['no last line end', `${HEADER}\n${ROW}`],
    ['a byte order mark', `\ufeff${HEADER}\n${ROW}\n`],
    ['quotation marks', `"time","rms_db","frequency_hz","is_silence"\n"${ROW.replaceAll(',', '","')}"\n`],
    ['empty lines', `${HEADER}\n\n${ROW}\n\n`],
    ['another zone and fewer digits', `${HEADER}\n2026-01-01T01:00:00.123456+01:00,-12.34,440,false\n`],
  ])('accepts %s', async (_what, text) => {
    expect(await rowsOf(text)).toEqual([ROW]);
  });

  it.each([`${HEADER}\n`, HEADER])('of a header alone fails', async (text) => {
    expect(await refusedImport([file(text)])).toContain(': no points found');
  });

  it('reads standard input', async () => {
    const run = await imported(['-'], {
      stdin: Readable.from([Buffer.from(`${HEADER}\n2026-`), Buffer.from(ROW.slice(5))]),
    });
    expect(run.db.rows).toEqual([ROW]);
  });

  const time = 'it must be an RFC 3339 time with a zone and at most six fractional digits';
  const level = 'it must be a decimal number, -50 to 0, or empty';
  const frequency = 'it must be a whole number, 100 to 8000, or empty';
  it.each([
    ['now,,,true', `time is "now"; ${time}`],
    [',,,true', `time is empty; ${time}`],
    ['2026-01-01T00:00:00,,,true', `time is "2026-01-01T00:00:00"; ${time}`],
    ['2026-02-29T00:00:00Z,,,true', `time is "2026-02-29T00:00:00Z"; ${time}`],
    ['2026-01-01T00:00:00.1234567Z,,,true', `time is "2026-01-01T00:00:00.1234567Z"; ${time}`],
    ['2026-01-01T00:00:00 02:00,,,true', `time is "2026-01-01T00:00:00 02:00"; ${time}`],
    ['2026-01-01T00:00:00Z,0.1,,true', `rms_db is "0.1"; ${level}`],
    ['2026-01-01T00:00:00Z,-50.1,,true', `rms_db is "-50.1"; ${level}`],
    ['2026-01-01T00:00:00Z,0x1,,true', `rms_db is "0x1"; ${level}`],
    ['2026-01-01T00:00:00Z,NaN,,true', `rms_db is "NaN"; ${level}`],
    ['2026-01-01T00:00:00Z, -1,,true', `rms_db is " -1"; ${level}`],
    ['2026-01-01T00:00:00Z,,99,true', `frequency_hz is "99"; ${frequency}`],
    ['2026-01-01T00:00:00Z,,8001,true', `frequency_hz is "8001"; ${frequency}`],
    ['2026-01-01T00:00:00Z,,440.0,true', `frequency_hz is "440.0"; ${frequency}`],
    ['2026-01-01T00:00:00Z,,,t', 'is_silence is "t"; it must be true or false'],
    ['2026-01-01T00:00:00Z,,,', 'is_silence is empty; it must be true or false'],
    ['2026-01-01T00:00:00Z,,true', 'has 3 columns; there must be 4: time, rms_db, frequency_hz, is_silence'],
    [
      '2026-01-01T00:00:00Z,,,true,',
      'has 5 columns; there must be 4: time, rms_db, frequency_hz, is_silence',
    ],
    ['2026-01-01T00:00:00Z,,"1"0,true', `frequency_hz is "\\"1\\"0"; ${frequency}`],
    [`2026-01-01T00:00:00Z,,${'1'.repeat(70_000)},true`, 'is longer than 65536 characters'],
  ])('refuses the row %s with its line, and stores nothing', async (bad, message) => {
    const path = file(`${HEADER}\n${`${ROW}\n`.repeat(1500)}${bad}\n2026,also,bad\n`);
    expect(await refusedImport([path])).toContain(`${path}, line 1502: ${message}`);
  });

  it('counts empty lines and Windows line ends as a person does', async () => {
    const path = file(`${HEADER}\r\n\r\n${ROW}\r\n\r\nx\r\n`);
    expect(await refusedImport([path])).toContain(`${path}, line 5: has 1 columns`);
  });

  it.each([
    ['', `is empty; its first line must be the header ${HEADER}`],
    ['\n\n', `is empty; its first line must be the header ${HEADER}`],
    [`${ROW}\n`, `line 1: the header is "${ROW}"; it must be ${HEADER}`],
    ['time;rms_db;frequency_hz\n', 'line 1: the header is "time,rms_db,frequency_hz"'],
    [`${HEADER},extra\n`, `line 1: the header is "${HEADER},extra"`],
  ])('refuses a file that starts with %j', async (text, message) => {
    expect(await refusedImport([file(text)])).toContain(message);
  });

  it('stores nothing when interrupted', async () => {
    const run = createRun();
    run.abort.abort();
    const path = file(`${HEADER}\n${ROW}\n`);
    expect(await messageOf(importCsv([path], run.io))).toBe('Interrupted: nothing more was stored');
    expect(run.db.rows).toEqual([]);
  });

  it.each([
    [[], "Missing required argument 'FILE'\nFILE: files, folders, or - for standard input"],
    [['-', 'b.csv'], '- (standard input) cannot be combined with files'],
    [['--zone', 'UTC', '--clip', 'a.csv'], OF_FOREIGN],
    [['/nowhere.csv'], 'Cannot open /nowhere.csv: there is no such file'],
  ])('with the arguments %j is refused', async (args, message) => {
    expect(await refusedImport(args)).toBe(message);
  });
});
