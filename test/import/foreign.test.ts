import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openTable } from '../../src/import/open-table.ts';
import { temporaryFolder } from '../process.ts';
import { createRun, file, importCsv, imported, messageOf, refusedImport } from '../recorder/run.ts';

/** Stores a file in memory. */
async function stored(text: string | Buffer, ...args: string[]) {
  const { db, lines } = await imported([file(text), ...args]);
  return { rows: db.rows, lines };
}
const rowsOf = async (...given: Parameters<typeof stored>) => (await stored(...given)).rows;
const refusal = async (...given: Parameters<typeof stored>) => messageOf(stored(...given));

const UTC = ['--zone', 'UTC'];
const VIENNA = ['--zone', 'Europe/Vienna'];
const TIME_LEVEL = ['--columns', 'time,level'];

describe("Another logger's file", () => {
  it('is read by position, and skips the columns between', async () => {
    const text = 'Time,LAeq,Battery,Peak,Quiet\n2026-01-01T00:00:00Z,-20.25,12.4,439.6,no\n';
    expect(await rowsOf(text, '--columns', 'time,level,-,freq,silence')).toEqual([
      '2026-01-01T00:00:00.000000Z,-20.25,440,false',
    ]);
  });

  it('is read by the names of its header', async () => {
    const text = '"Date Time, local",LAeq [dB],LCpeak\n2026-01-01 00:00:00Z,70.5,99\n';
    const args = ['--columns', 'level=LAeq [dB],time=Date Time, local', '--offset-db', '-100'];
    expect(await rowsOf(text, ...args)).toEqual(['2026-01-01T00:00:00.000000Z,-29.5,,false']);
  });

  it.each([
    ['iso', '2026-01-31T23:59', '2026-01-31T23:59:00.000000Z'],
    ['iso', '2026-01-31 23:59:59,25', '2026-01-31T23:59:59.250000Z'],
    ['iso', '2026-01-31T23:59:59.123456789+0130', '2026-01-31T22:29:59.123456Z'],
    ['unix', '1767225600', '2026-01-01T00:00:00.000000Z'],
    ['unix', '1767225600.123456789', '2026-01-01T00:00:00.123456Z'],
    ['unix-ms', '1767225600250', '2026-01-01T00:00:00.250000Z'],
    ['unix-ms', '1767225600250.5', '2026-01-01T00:00:00.250500Z'],
    ['DD.MM.YYYY HH:mm:ss', '31.01.2026 23:59:59.5', '2026-01-31T23:59:59.500000Z'],
    ['DD.MM.YYYY HH:mm', '1.2.2026 9:05', '2026-02-01T09:05:00.000000Z'],
    ['DD/MM/YYYY HH:mm', '31/01/2026 23:59', '2026-01-31T23:59:00.000000Z'],
    ['MM/DD/YYYY hh:mm:ss AM', '01/31/2026 12:59:59 am', '2026-01-31T00:59:59.000000Z'],
    ['MM/DD/YY hh:mm AM', '1/31/26 1:05 PM', '2026-01-31T13:05:00.000000Z'],
    ['DD-MMM-YYYY HH:mm:ss', '31-Jan-2026 23:59:59', '2026-01-31T23:59:59.000000Z'],
    ['[day] YYYYMMDD HHmmssSSS', 'day 20260131 235959250', '2026-01-31T23:59:59.250000Z'],
    ['YYYY/MM/DD HH:mm:ss ZZ', '2026/01/31 23:59:59 -02:00', '2026-02-01T01:59:59.000000Z'],
  ])('has times as %s: %s', async (format, text, time) => {
    const args = ['--delimiter', 'tab', ...TIME_LEVEL, ...UTC, '--time-format', format];
    expect(await rowsOf(`${text}\t-20\n`, ...args)).toEqual([`${time},-20,,false`]);
  });

  it('may have the date in its own column', async () => {
    const args = ['--columns', '-,date,time,level', '--time-format', 'DD.MM.YYYY HH:mm:ss', ...VIENNA];
    expect(await rowsOf('1;31.07.2026;00:30:00;-20,5\n', ...args)).toEqual([
      '2026-07-30T22:30:00.000000Z,-20.5,,false',
    ]);
  });

  it('in the repeated hour is read in file order, with a notice', async () => {
    const text = ['01:59', '02:00', '02:59', '02:00', '02:59', '03:00'];
    const forwards = text.map((clock) => `2026-10-25 ${clock},-20\n`);
    const times = ['23:59', '00:00', '00:59', '01:00', '01:59', '02:00'].map(
      (clock, index) => `2026-10-${index === 0 ? 24 : 25}T${clock}:00.000000Z,-20,,false`,
    );
    const { rows, lines } = await stored(forwards.join(''), ...TIME_LEVEL, ...VIENNA);
    expect(rows).toEqual(times);
    expect(lines[0]).toBe(
      '4 times fell into the repeated autumn hour of Europe/Vienna, and were taken in file order.',
    );
    const backwards = await rowsOf(forwards.toReversed().join(''), ...TIME_LEVEL, ...VIENNA);
    expect(backwards).toEqual(times.toReversed());
  });

  it('with a line per hour has two for the repeated hour', async () => {
    const clocks = ['01:00', '02:00', '02:00', '03:00'].map((clock) => `2026-10-25 ${clock},-20\n`);
    const hours = ['24T23', '25T00', '25T01', '25T02'].map(
      (hour) => `2026-10-${hour}:00:00.000000Z,-20,,false`,
    );
    expect(await rowsOf(clocks.join(''), ...TIME_LEVEL, ...VIENNA)).toEqual(hours);
    const backwards = clocks.toReversed().join('');
    expect(await rowsOf(backwards, ...TIME_LEVEL, ...VIENNA)).toEqual(hours.toReversed());
  });

  it('continues in the repeated hour after the previous file', async () => {
    const run = createRun();
    const paths = ['02:50', '02:10'].map((clock) => file(`2026-10-25 ${clock},-20\n`));
    await importCsv([...paths, ...TIME_LEVEL, ...VIENNA], run.io);
    expect(run.db.rows).toEqual(
      ['00:50', '01:10'].map((clock) => `2026-10-25T${clock}:00.000000Z,-20,,false`),
    );
  });

  it('has no valid time in the skipped hour', async () => {
    expect(await refusal('2026-03-29 02:30,-20\n', ...TIME_LEVEL, ...VIENNA)).toContain(
      'line 1: the time "2026-03-29 02:30" does not exist in Europe/Vienna, because clocks went forward: for a clock that stays on winter time give its offset, such as --zone +01:00',
    );
    expect(await rowsOf('2026-03-29 02:30,-20\n', ...TIME_LEVEL, '--zone', '+01:00')).toEqual([
      '2026-03-29T01:30:00.000000Z,-20,,false',
    ]);
  });

  it.each([
    ['semicolons and decimal commas', 't;l\n2026-01-01 00:00:00;-20,25\n'],
    ['tabs', 't\tl\n2026-01-01 00:00:00\t-20.25\n'],
    ['blanks around values', 't , l\n 2026-01-01 00:00:00 ,  -20.25 \r\n'],
    ['a byte order mark', '\ufefft,l\n2026-01-01 00:00:00,-20.25\n'],
    ['UTF-16, as Excel writes it', Buffer.from('\ufefft\tl\r\n2026-01-01 00:00:00\t-20,25\r\n', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('\ufefft,l\n2026-01-01 00:00:00,-20.25\n', 'utf16le').swap16()],
    ['UTF-16 without a byte order mark', Buffer.from('t,l\n2026-01-01 00:00:00,-20.25\n', 'utf16le')],
    [
      'big-endian UTF-16 without that mark',
      Buffer.from('t,l\n2026-01-01 00:00:00,-20.25\n', 'utf16le').swap16(),
    ],
    ['gzip', gzipSync('t,l\n2026-01-01 00:00:00,-20.25\n')],
    ['more columns than are named', 't,l,x\n2026-01-01 00:00:00,-20.25,7,\n'],
    ['no header', '2026-01-01 00:00:00,-20.25\n'],
    ['a header of numbers elsewhere', 't,l,6.3,8,10\n2026-01-01 00:00:00,-20.25,1,2,3\n'],
    ['lines without a value', 't;l\r\n2026-01-01 00:00:00;-20,25\r\n;\r\n ; \r\n'],
    ['quotation marks', 't;"l, ""A""";x\n"2026-01-01 00:00:00";"-20,25";"a; b"\n'],
    ['units behind numbers', 't,l\n2026-01-01 00:00:00 UTC,-20.25 dB(A)\n'],
    ['degrees and umlauts in its header', 'Zeit °;Schall µ\n2026-01-01 00:00:00;-20,25\n'],
    ['a typographic minus sign', 't,l\n2026-01-01 00:00:00,\u221220.25\n'],
  ])('may have %s', async (_what, text) => {
    expect(await rowsOf(text, ...TIME_LEVEL, ...UTC)).toEqual(['2026-01-01T00:00:00.000000Z,-20.25,,false']);
  });

  it('is refused without a header if a comma may be a decimal comma', async () => {
    const advice =
      '"-20,5" may be one number or two columns. For one, separate columns by semicolons; for two, add ,- to --columns';
    expect(await refusal('2026-01-01 00:00:00,-20,5\n', ...TIME_LEVEL, ...UTC)).toContain(
      `line 1: ${advice}`,
    );
    const whole = ['2026-01-01T00:00:00.000000Z,-20,,false'];
    const named = ['--columns', 'time,level,-', ...UTC];
    expect(await rowsOf('2026-01-01 00:00:00,-20,5\n', ...named)).toEqual(whole);
    for (const text of ['t,l,x\n2026-01-01 00:00:00,-20,5\n', '2026-01-01 00:00:00\t-20\t5\n'])
      expect(await rowsOf(text, ...TIME_LEVEL, ...UTC)).toEqual(whole);
  });

  it('is refused if it is empty and --columns names its header', async () => {
    expect(await refusal('\n', '--columns', 'time=t,level=l', ...UTC)).toContain(
      'is empty; its first line must be the header that --columns describes',
    );
  });

  it('may have Windows encoding and line ends: its columns keep their names', async () => {
    const text = Buffer.from('Zeit;Pegel \xb5;Gew\xe4hlt\r\n2026-01-01 00:00:00;7;-20,25\r\n', 'latin1');
    expect(await rowsOf(text, '--columns', 'time=Zeit,level=Gew\u00e4hlt', ...UTC)).toEqual([
      '2026-01-01T00:00:00.000000Z,-20.25,,false',
    ]);
    expect(await refusal(text, '--columns', 'time=Zeit,level=LAeq', ...UTC)).toContain('Pegel \u00b5');
  });

  it('may have lines before its header, and comments', async () => {
    const text = 'Serial 5"\r\nLocation; yard\r\n# units\r\nt;l\r\n#;dB\r\n2026-01-01 00:00:00;-20,25\r\n';
    const args = ['--columns', 'time=t,level=l', '--skip-lines', '2', '--comment', '#', ...UTC];
    expect(await rowsOf(text, ...args)).toEqual(['2026-01-01T00:00:00.000000Z,-20.25,,false']);
    const bad = `${text}x;y\r\n`;
    expect(await refusal(bad, ...args)).toContain('line 7: the time "x" is not understood');
  });

  it.each(['t', 'TRUE', '1', 'yes', 'Y'])('marks silence by %s', async (word) => {
    const args = ['--columns', 'time,silence', ...UTC];
    expect(await rowsOf(`2026-01-01 00:00,${word}\n`, ...args)).toEqual([
      '2026-01-01T00:00:00.000000Z,,,true',
    ]);
  });

  it.each<[line: string, args: string[], ...facts: string[]]>([
    ['2026-01-01 00:00,-20', [], '--zone Europe/Vienna'],
    ['1767225600123,-20', ['--time-format', 'unix'], '--time-format auto'],
    ['31.01.2026 10:00:00,-20', UTC, '--time-format "DD.MM.YYYY HH:mm:ss"'],
    ['31-01-26,-20', UTC, 'it has no time of day'],
    ['31.13.2026 10:00,-20', ['--time-format', 'DD.MM.YYYY HH:mm', ...UTC], 'is not DD.MM.YYYY HH:mm'],
    ['1/31/26 10:00,-20', UTC, '--time-format "MM/DD/YY HH:mm"'],
    ['1/3/2026 10:00 PM,-20', UTC, '"DD/MM/YYYY hh:mm AM"', '"MM/DD/YYYY hh:mm AM"'],
    ['2026-02-29 00:00,-20', UTC, '"2026-02-29 00:00"', '--time-format'],
    ['2026-01-01 00:00,70', UTC, '--reference-db', '70 to 70 dB'],
    ['2026-01-01 00:00,45.3', [...UTC, '--offset-db', '-120'], 'below -50', '--reference-db'],
    ['2026-01-01 00:00,loud', UTC, '"loud" is not a number', 'choose another column'],
    ['2026-01-01 00:00,-20,5', UTC, 'line 2', '3 columns', 'the header has 2', 'decimal commas'],
    ['2026-01-01 00:00,-20\r2026-01-01 00:01,-20', UTC, 'line 2', 'carriage return'],
    ['2026-01-01 00:00', UTC, '1 column', 'reads 2', '--delimiter'],
  ])('with the line %s is refused, given %j', async (line, args, ...facts) => {
    const message = await refusal(`time,level\n${line}\n`, ...TIME_LEVEL, ...args);
    for (const fact of facts) expect(message).toContain(fact);
  });

  it('is refused with only the patterns that read its first lines', async () => {
    const days = Array.from({ length: 20 }, (_, n) => `1/${n + 9}/2026 10:00,-20\n`).join('');
    const message = await refusal(days, ...TIME_LEVEL, ...UTC);
    expect(message).toContain('try --time-format "MM/DD/YYYY HH:mm"');
    expect(message).not.toContain('"DD/MM');
  });

  it('is refused, with the columns of its header', async () => {
    expect(await refusal('Start;LAeq\n', '--columns', 'time=Time,level=LAeq')).toContain(
      'line 1: the header has no column "Time". Choose one of "Start", "LAeq"',
    );
    expect(await refusal('Start;LAeq;LAeq\n', '--columns', 'time=Start,level=LAeq')).toContain(
      'the header has several columns "LAeq": choose by position, such as --columns time,-,level',
    );
  });

  it('is clipped on request, with a count', async () => {
    const text = '2026-01-01 00:00,101,99\n2026-01-01 00:01,49.5,8000.4\n2026-01-01 00:02,75,\n';
    const args = ['--columns', 'time,level,freq', ...UTC, '--offset-db', '-100', '--clip'];
    const { rows, lines } = await stored(text, ...args);
    expect(rows).toEqual([
      '2026-01-01T00:00:00.000000Z,0,,false',
      '2026-01-01T00:01:00.000000Z,-50,8000,false',
      '2026-01-01T00:02:00.000000Z,-25,,false',
    ]);
    expect(lines[0]).toBe('Clipped 2 points with a value out of range to the nearest limit of the range.');
    expect(await refusal(text, ...args.slice(0, -1))).toContain('is 1, above 0');
  });

  it('may have levels of minus infinity', async () => {
    const args = [...TIME_LEVEL, ...UTC];
    const text = '2026-01-01 00:00,-inf\n';
    expect(await rowsOf(text, ...args, '--clip')).toEqual(['2026-01-01T00:00:00.000000Z,-50,,false']);
    expect(await refusal(text, ...args)).toContain('the level -inf is -Infinity, below -50');
  });

  it('skips unreadable lines on request, and reports them', async () => {
    const text = '2026-01-01 00:00,-20\n2026-01-01 00:01,unavailable\nend\n2026-01-01 00:02,unknown\n';
    const { rows, lines } = await stored(text, ...TIME_LEVEL, ...UTC, '--skip-bad');
    expect(rows).toEqual(['2026-01-01T00:00:00.000000Z,-20,,false']);
    expect(lines).toEqual([
      'Skipped 3 lines:',
      expect.stringMatching(
        /^2 lines: the level is not a number; first in .*input, line 2: the level "unavailable" is not/,
      ),
      expect.stringMatching(/^1 line: there are too few columns; first in .*input, line 3: has 1 column, /),
      'Stored 1 point, 2026-01-01T00:00:00.000000Z to 2026-01-01T00:00:00.000000Z.',
    ]);
  });

  it('in a dry run is shown as it would be stored, with everything that would be refused', async () => {
    const run = createRun();
    const seconds = Array.from({ length: 8 }, (_, s) => `2026-01-01 00:00:0${s},${40 + s}.5\n`);
    const path = file(`t,l\n${seconds.join('')}x,1\n2026-01-01 00:01,130\ny,2\n`);
    const args = [path, ...TIME_LEVEL, ...UTC, '--offset-db', '-90', '--dry-run'];
    expect(await messageOf(importCsv(args, run.io))).toBe(
      'Nothing would be stored: fix the refused lines, or skip them with --skip-bad',
    );
    expect(run.printed).toEqual([
      'time,rms_db,frequency_hz,is_silence',
      '2026-01-01T00:00:00.000000Z,-49.5,,false',
      '2026-01-01T00:00:01.000000Z,-48.5,,false',
      '2026-01-01T00:00:02.000000Z,-47.5,,false',
      '2026-01-01T00:00:03.000000Z,-46.5,,false',
      '2026-01-01T00:00:04.000000Z,-45.5,,false',
      '... 3 points more',
      '\n8 points would be stored, 2026-01-01T00:00:00.000000Z to 2026-01-01T00:00:07.000000Z.',
      expect.stringMatching(
        /^Levels are 40.5 to 130 dB, .* --reference-db 70 with --clip changes 1 of 9 levels/,
      ),
      '3 lines would be refused:',
      expect.stringContaining(
        `2 lines: the time is not understood; first in ${path}, line 10: the time "x" is not understood`,
      ),
      expect.stringContaining(`1 line: the level is above 0 with -90 added; first in ${path}, line 11: `),
    ]);
    expect(run.db.rows).toEqual([]);
    await importCsv(
      [file(seconds.join('')), ...TIME_LEVEL, ...UTC, '--offset-db', '-90', '--dry-run'],
      run.io,
    );
    expect(run.printed.at(-1)).toBe('Levels in the file are 40.5 to 47.5 dB.');
    expect(run.db.rows).toEqual([]);
  });

  it('may be one of many, even in folders. None is stored if a line of any is refused', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'b'));
    const line = (s: number) => `2026-01-01 00:00:0${s},-20\n`;
    writeFileSync(join(folder, 'b', '2.log'), line(2));
    writeFileSync(join(folder, 'b', 'photo.jpg'), 'no');
    writeFileSync(join(folder, '1.csv.gz'), gzipSync(line(1)));
    const single = file(line(3));
    const run = await imported([folder, single, ...TIME_LEVEL, ...UTC]);
    const time = (s: number) => `2026-01-01T00:00:0${s}.000000Z`;
    expect(run.db.rows).toEqual([1, 2, 3].map((s) => `${time(s)},-20,,false`));
    const photo = JSON.stringify(join(folder, 'b', 'photo.jpg'));
    expect(run.lines.shift()).toBe(`Left out 1 file without a table: ${photo}`);
    expect(run.lines).toEqual(
      [join(folder, '1.csv.gz'), join(folder, 'b', '2.log'), single].map(
        (path, n) => `${path}: Stored 1 point, ${time(n + 1)} to ${time(n + 1)}.`,
      ),
    );
    const bad = file('nothing\n', 'z');
    const refused = createRun();
    await expect(importCsv([folder, bad, ...TIME_LEVEL, ...UTC], refused.io)).rejects.toThrow('z, line 1');
    expect(refused.db.rows).toEqual([]);
    expect(await refusedImport([temporaryFolder()])).toMatch(/^The folder .* has no file$/);
  });

  it('is not stored if it changes while it is read', async () => {
    const path = file('2026-01-01 00:00,-20\n');
    const run = createRun();
    const openDatabase = async () => {
      appendFileSync(path, '2026-01-01 00:01,-20\n');
      return run.db;
    };
    const args = [path, ...TIME_LEVEL, ...UTC, '--replace'];
    expect(await messageOf(importCsv(args, { ...run.io, openDatabase }))).toBe(
      `${path} changed while it was read: import a copy of it`,
    );
    expect(run.db.rows).toEqual([]);
    await using table = await openTable(path, run.io.signal);
    for await (const _bytes of table.bytes);
    expect(await table.hasChanged()).toBe(false);
    appendFileSync(path, '2026-01-01 00:0');
    expect(await table.hasChanged()).toBe(true);
  });

  it('may be a pipe, which is read once', async () => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const run = createRun();
    const writing = writeFile(path, '1767225600,-20\n');
    await importCsv([path, ...TIME_LEVEL, '--time-format', 'unix'], run.io);
    await writing;
    expect(run.db.rows).toEqual(['2026-01-01T00:00:00.000000Z,-20,,false']);
  });

  it('may arrive on standard input too', async () => {
    const run = await imported(['-', ...TIME_LEVEL, '--time-format', 'unix'], {
      stdin: Readable.from([Buffer.from('1767225600,-2'), Buffer.from('0\n')]),
    });
    expect(run.db.rows).toEqual(['2026-01-01T00:00:00.000000Z,-20,,false']);
  });

  it('is refused if it is damaged', async () => {
    const run = createRun();
    const path = file(gzipSync('2026-01-01T00:00Z,-20\n'.repeat(5)).subarray(0, 30), 'x.gz');
    expect(await messageOf(importCsv([path, ...TIME_LEVEL], run.io))).toBe(
      `${path} cannot be decompressed: it is damaged or incomplete`,
    );
  });

  it('is refused if it is not text', async () => {
    const path = file('PK\u0003\u0004', 'book.xlsx');
    expect(await refusedImport([path, ...TIME_LEVEL])).toBe(
      `${path} is a spreadsheet (.xlsx) or a ZIP archive: save the spreadsheet as CSV in Excel or LibreOffice, or unpack the archive`,
    );
  });

  it('that is interrupted is not stored, but the files before it are', async () => {
    const run = createRun();
    const paths = [1, 2].map((minute) => file(`2026-01-01 00:0${minute},-20\n`));
    const progress = (line: string) => {
      if (line.includes('Stored')) run.abort.abort();
    };
    expect(await messageOf(importCsv([...paths, ...TIME_LEVEL, ...UTC], { ...run.io, progress }))).toBe(
      `Interrupted: the rest of ${paths[1]} and the files after it were not stored`,
    );
    expect(run.db.rows).toEqual(['2026-01-01T00:01:00.000000Z,-20,,false']);
  });

  it.each<[args: string, ...facts: string[]]>([
    ['--columns level', '--columns', 'without the field time', 'time,level,-,freq'],
    ['--columns time,time', '--columns', "'time,time'"],
    ['--columns time=A,foo=B,level=A', 'the header has no column "A,foo=B"'],
    [
      '--columns time,level --time-format dd.mm.yyyy',
      '--time-format',
      'auto, iso, unix, unix-ms, excel',
      'YYYY',
    ],
    ['--columns time,level --zone Vienna', '--zone', "'Vienna'", 'an IANA time zone or an offset'],
    ['--columns time,level --delimiter x', '--delimiter', "'x'", ', ; | tab space'],
  ])('with the arguments %s is refused', async (args, ...facts) => {
    const message = await refusal('t,l\n', ...args.split(' '));
    for (const fact of facts) expect(message).toContain(fact);
  });
});
