// Files of meters, databases and home automation: each is read correctly, or refused with advice that works.
import { describe, expect, it } from 'vitest';
import { messageOfFault } from '../../src/commands/fault.ts';
import { createTimeCheck } from '../../src/commands/times/time-check.ts';
import { AUTO, createTimeReader, parseTimeFormat } from '../../src/commands/times/time-format.ts';
import { instantOf } from '../../src/contract/instant.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { createRun, file, importCsv, imported, refusedImport } from '../recorder/run.ts';

const at = (second: number, rest: string) => `2026-11-12T20:15:0${second}.000000Z,${rest},,false`;
const TWO = [at(0, '-47.7'), at(1, '-48.3')];
const BY_POSITION = ['--columns', 'time,level', '--reference-db', '100'];
const NAMES = ['--columns', 'time=t,level=l', '--reference-db', '100'];
const UTC = ['--zone', 'UTC'];
const lines = (...fields: string[]) => `t,l\n${fields.join('\n')}\n`;
const DAY = '2026-11-12 20:15';
const ZEROS = '\0'.repeat(5000);

/** The character | stands for the end of a line. */
const READ: readonly (readonly [what: string, text: string, ...args: string[]])[] = [
  ['blanks between date and time', '2026-11-12   20:15:00,52.3|2026-11-12   20:15:01,51.7', ...BY_POSITION],
  ['times that C prints', 'Thu Nov 12 20:15:00 2026,52.3|Thu Nov 12 20:15:01 2026,51.7', ...BY_POSITION],
  ['nanoseconds', 't,l|1794514500000000000,52.3|1794514501000000000,51.7', ...NAMES],
  [
    'spreadsheet date numbers',
    '46338.84375,52.3|46338.8437615741,51.7',
    ...BY_POSITION,
    '--time-format',
    'excel',
  ],
  ['JSON lines', '{"l":52.3,"t":"2026-11-12T20:15:00Z"}|{"t":"2026-11-12T20:15:01Z","l":51.7}', ...NAMES],
  ['a later header', `Meter 5"|Gain;0||id;t;l|1;${DAY}:00;52,3|2;${DAY}:01;51,7`, ...NAMES],
  ['columns that numpy writes', '# t l|1.7945145e+09 5.23e+01|1.794514501e+09 5.17e+01', ...NAMES],
  ['a header as a comment', `# t,l|${DAY}:00,52.3|${DAY}:01,51.7`, ...NAMES],
  ['a line that names the separator', `sep=;|t;l|${DAY}:00;52,3|${DAY}:01;51,7`, ...NAMES],
  ['a header of 20,000 letters', `t,l,${'band,'.repeat(4000)}|${DAY}:00,52.3|${DAY}:01,51.7`, ...NAMES],
  ['units', `t,l|${DAY}:00,52.3 dBA|${DAY}:01,51.7 dB SPL`, ...NAMES],
  ['zeros after a power cut', `${ZEROS}${DAY}:00,52.3|${ZEROS}${DAY}:01,51.7`, ...BY_POSITION],
  ['carriage returns twice', `${DAY}:00,52.3\r\r|${DAY}:01,51.7\r\r`, ...BY_POSITION],
  [
    'lines of one of two weightings',
    `t,l,freqMode|${DAY}:00,52.3,A|${DAY}:00,6,C|${DAY}:01,51.7,A`,
    ...NAMES,
    '--where',
    'freqMode=A',
  ],
];
const BLANKS = ['--columns', 'date,time,level', '--reference-db', '100', '--delimiter', 'space'];

it.each([
  ...READ,
  ['blanks between columns', '2026-11-12  20:15:00   52.3|2026-11-12  20:15:01  51.7', ...BLANKS],
])('%s are read', async (_what, text = '', ...args) => {
  expect((await imported([file(text.replaceAll('|', '\n')), ...args, ...UTC])).db.rows).toEqual(TWO);
});

it('texts that stand for a missing value are not levels, and the import suggests --none', async () => {
  const text = lines('2026-11-12 20:15:00,<30.0', '2026-11-12 20:15:01,OL', '2026-11-12 20:15:02,52.3');
  expect(await refusedImport([file(text), ...NAMES, ...UTC])).toContain('give --none "<30.0"');
  const { db } = await imported([file(text), ...NAMES, ...UTC, '--none', '<30.0', '--none', 'OL']);
  expect(db.rows).toEqual([at(0, ''), at(1, ''), at(2, '-47.7')]);
});

const second = (n: number) =>
  `2026-11-12T20:${String(15 + Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}Z`;
const eight = (line: (n: number) => string) => Array.from({ length: 8 }, (_, n) => line(n)).join('|');

const REFUSED: Readonly<Record<string, readonly [text: string, message: string]>> = {
  'of two sensors': [
    `entity_id,t,l|${eight((n) => `${n % 2 ? 'yard' : 'street'},${second(n)},50`)}`,
    'its column "entity_id" has "street", "yard". Choose one with --where entity_id=street',
  ],
  'of two fields one after the other': [
    `t,l,what|${eight((n) => `${second(n % 4)},50,${n < 4 ? 'leq' : 'max'}`)}`,
    'its column "what" has "leq", "max"',
  ],
  'of two unnamed weightings': [
    `t,l|${eight((n) => `${second(n)},50,${n < 6 ? 'dBA' : 'dBC'}`)}`.replace('t,l', 't,l,'),
    'its column "3" has "dBA", "dBC". Choose one with --where 3=dBA',
  ],
  'with repeated times': [`t,l|${eight((n) => `${second(n % 4)},50`)}`, 'line 6: the time goes back by 4 s'],
  'with a time from an unset clock': [
    `t,l|2000-01-01T00:00:09Z,50|${second(0)},50`,
    'line 2: the time "2000-01-01T00:00:09.000000Z" lies more than 366 days',
  ],
  'without a header of that name': [
    `Meter|when,laeq|${second(0)},50`,
    'line 2: the header has no column "t". Choose one of "when", "laeq"',
  ],
  'whose header comes late': [
    `${'note|'.repeat(120)}t,l|${second(0)},50`,
    'comes later than in the first 100 lines, use --skip-lines',
  ],
  'of one JSON array': ['[{"t":1,"l":2}]', 'is a JSON array: put each object on a line'],
  'of JSON with other members': [
    '{"ts":"2026-11-12T22:40:56Z","b":{}}',
    'members "ts", "b": name those to read',
  ],
  'without a point': ['t,l', 'no points found'],
  'whose times are all words': ['t,l|monday,a|tuesday,b', 'line 3: the time "tuesday" is not understood'],
  'of SQL commands': ["INSERT INTO log VALUES('x',52.3);", 'sqlite3 -header -csv new.db'],
  'of one array over several lines': ['[{"t":1,|"l":2}]', "jq -c '.[]'"],
  'whose names are in another encoding': [
    `t,M\u00e9l|${second(0)},50`,
    'if its letters are wrong, --encoding',
  ],
  'of a thousand wrong lines': [
    `t,l${'|yesterday,50'.repeat(1001)}`,
    'the first 1,000 lines all have the same fault, such as line 1001: the time "yesterday"',
  ],
  'with a line that a power cut broke': [`t,l|${second(0)},5\0\0\0`, 'line 2: contains zero bytes'],
};

const day = (n: number) => instantOf(Date.parse('2022-01-01T00:00:00Z') + n * 86_400_000);

it('of three years without a long pause is stored, but times beyond one are refused', async () => {
  const days = Array.from({ length: 1100 }, (_, n) => `${day(n)},50`);
  const ahead = `${day(1099 + 367)},50`;
  expect((await imported([file(lines(...days)), ...NAMES])).db.rows).toHaveLength(1100);
  expect(await refusedImport([file(lines(...days, ahead)), ...NAMES])).toContain(
    'line 1102: the time "2026-01-06T00:00:00.000000Z" lies more than 366 days from the others',
  );
});

describe('A table is refused', () => {
  it.each(Object.entries(REFUSED))('%s', async (_what, [text, message]) => {
    expect(await refusedImport([file(text.replaceAll('|', '\n')), ...NAMES])).toContain(message);
  });

  it('of levels without a reference, with the option that stores most of them', async () => {
    const text = lines(...[30, 60, 90, 89].map((level, n) => `${second(n)},${level}`));
    expect(await refusedImport([file(text), '--columns', 'time=t,level=l'])).toContain(
      'Levels are 30 to 90 dB, but only the 50 dB below the reference are stored, so --reference-db is required: --reference-db 100 with --clip changes 1 of 4 levels to an end of that range',
    );
    const file_ = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
    expect(await refusedImport([file(file_), ...NAMES])).toContain('is an old Excel spreadsheet (.xls)');
  });
});

it.each([
  ['2026111222', 'ahead of now: try --time-format "YYYYMMDDHH".'],
  ['2611122215', 'ahead of now: try --time-format "YYMMDDHHmm" or'],
  ['261112221500', 'ahead of now: try --time-format "YYMMDDHHmmss" or'],
  ['12112026221500', 'is not understood: try --time-format "DDMMYYYYHHmmss"'],
  ['12112026 221500', 'is not understood: try --time-format "DDMMYYYY HHmmss"'],
  ['11/12/2026, 10:15:00 PM', 'is not understood: try --time-format "MM/DD/YYYY, hh:mm:ss AM"'],
  ['1/3/2026, 10:15:00 PM', 'try --time-format "MM/DD/YYYY, hh:mm:ss AM" or "DD/MM/'],
  ['26-11-12 22:15', 'try --time-format "YY-MM-DD HH:mm" or "DD-MM-YY HH:mm"'],
  ['12.11.2026 22:15:00:125', 'try --time-format "DD.MM.YYYY HH:mm:ss:SSS"'],
  ['12/11/2026 22:15:00 +01:00', 'try --time-format "DD/MM/YYYY HH:mm:ss ZZ"'],
  ['12/11/2026 22:15:00 (CET)', 'try --time-format "DD/MM/YYYY HH:mm:ss (ZZ)" without --zone'],
  ['2034-11-12T22:15:00Z', '"2034-11-12T22:15:00Z" lies more than a day ahead of now. --far'],
  ['1970-01-01T00:00:09Z', '"1970-01-01T00:00:09Z" lies before 1990. --far'],
  ['12/11/2034 22:15', 'is not understood; describe it with --time-format'],
  ['1211262215', 'may be a number or a date: try --time-format "DDMMYYHHmm" or'],
  ['200911221500', 'may be a number or a date: try --time-format "YYMMDDHHmmss" or'],
  ['12.11.2026 22:15 - 12.11.2026 22:25', 'try --time-format "DD.MM.YYYY HH:mm"'],
  ['20261112-2215', 'try --time-format "YYYYMMDD-HHmm"'],
  ['121126 221500', 'try --time-format "DDMMYY HHmmss"'],
  ['11/12/2026 22:15 Europe/Vienna', 'try --time-format "MM/DD/YYYY HH:mm ZZ" without --zone'],
  ['12.11.2026 22', 'try --time-format "DD.MM.YYYY HH"'],
  ['12.11.2026 22:15 5', 'is not understood; describe'],
  ['1.79452E+12', 'has lost its digits. Export'],
  ['1,79452E+09', 'has lost its digits'],
])('the time %s is refused: %s', (text, message) => {
  const check = createTimeCheck(() => Date.parse('2026-11-20T12:00:00Z'));
  const read = createTimeReader(AUTO, { zone: 'UTC', check }).read(text);
  expect(typeof read === 'string' ? read : messageOfFault(read)).toContain(message);
  for (const [, pattern = ''] of message.matchAll(/"(\S*YY.*?)"/g)) {
    const format = parseTimeFormat(pattern);
    const again =
      format &&
      createTimeReader(format, { zone: message.includes('without') ? undefined : 'UTC', check }).read(text);
    expect(again).toMatch(/^20(26|12|20)-\d\d-\d\dT2/);
  }
});

it.each([
  ['year,month,day,hour,level', '2026;11;12;20:15;52.3|2026;11;12;20:16;51.7', '20:15:00', '20:16:00'],
  [
    'year=Y,month=M,day=D,hour=H,level=L',
    'H;Y;M;D;L|24;2026;Nov;11;52|1;26;11;12;51',
    '00:00:00',
    '01:00:00',
  ],
  [
    'date=D,hour=H,minute=M,level=L',
    'D;H;M;L|2026-11-12;9;5;52|2026-11-12;9.0;6.0;51',
    '09:05:00',
    '09:06:00',
  ],
  ['date,time,second,level', '2026-11-12;9:05;7;52|2026-11-12;9:05;8,5;51', '09:05:07', '09:05:08.5'],
  ['time,millis,level', '2026-11-12 09:05;125;52|2026-11-12 09:05;250;51', '09:05:00.125', '09:05:00.25'],
])('a time may have columns for its parts: %s', async (columns, text, ...times) => {
  const { db } = await imported([
    file(text.replaceAll('|', '\n')),
    '--columns',
    columns,
    ...UTC,
    '--offset-db',
    '-100',
  ]);
  const stored = times.map((time) =>
    `2026-11-12T${time.padEnd(8).replace(/^\S{8}$/, '$&.')}`.padEnd(26, '0'),
  );
  expect(db.rows.map((row) => row.slice(0, 26))).toEqual(stored);
});

it('columns of parts of a time are a whole time', async () => {
  for (const columns of ['year,time', 'year,month,day', 'date,year,month,day,hour', 'hour,time', 'millis'])
    expect(await refusedImport([file('1;2;3;4'), '--columns', columns])).toContain(
      'date, or year, month and day',
    );
  const tooMany = [file('2026-11-12 09:05;1250;52'), '--columns', 'time,millis,level', ...UTC];
  expect(await refusedImport(tooMany)).toContain('"1250" is not a whole number of milliseconds');
});

it('--stamp end stores the start of each window, and an interval always does', async () => {
  const args = ['--columns', 'time,level', '--reference-db', '100', '--stamp', 'end'];
  const text = '2026-11-12T20:16:00Z,52.3\n2026-11-12T20:16Z/2026-11-12T20:17Z,51.7\n';
  const { db } = await imported([file(text), ...args, '--window', '1m']);
  expect(db.rows.map((row) => row.slice(11, 16))).toEqual(['20:15', '20:16']);
  expect(await refusedImport([file(text), ...args])).toContain('--stamp: end needs --window');
});

it('an interval must be as long as --window', async () => {
  const ends = ['2026-11-12T21:16+01:00', '20:16', 'PT1M', '2026-11-12T20:15:59Z'];
  const text = ends.map((end) => `2026-11-12T20:15${end === '20:16' ? '' : 'Z'}/${end},-45.2\n`).join('');
  const args = [file(text), '--columns', 'time,level', ...UTC, '--repeated', 'keep', '--window'];
  expect((await imported([...args, '1m'])).db.rows).toHaveLength(ends.length);
  expect(await refusedImport([...args, '1h'])).toMatch(
    /line 1: .* covers 60 s, unlike --window .* 4 refused/,
  );
  const night = file('2026-11-12 23:55 - 00:05,-45.2\n');
  expect((await imported([night, ...args.slice(1), '10m'])).db.rows).toHaveLength(1);
});

it.each([
  ['2026-06-21 22:00:00 - 22:10', 600_000],
  ['2026-06-21 22:00 - 22:10:00', 600_000],
  ['2026-06-21 9:55 - 10:05', 600_000],
  ['2026-03-29 01:00/2026-03-29 03:00', 3_600_000],
  ['2026-10-25 02:30/2026-10-25 02:00', 1_800_000],
  ['2026-10-25 02:30 - 02:00', 1_800_000],
  ['2026-06-21T22:00:00Z/PT0.5S', 500],
  ['2026-06-21T22:00:00Z/PT0,5S', 500],
  ['2026-06-21T22:00:00Z/PT1H30M', 5_400_000],
  ['2026-06-01T00:00:00Z/P1M', 30 * 86_400_000],
  ['2026-06-01T00:00:00Z/P1W', 7 * 86_400_000],
  ['2026-06-21T22:00:00.900Z/2026-06-21T22:00:01.400Z', 500],
  ['2026-06-21 22:00:00 - 22:00:29', 30_000],
])('the interval %s is as long as a --window of %s ms', (text, window) => {
  const { read } = createTimeReader(AUTO, { zone: 'Europe/Vienna', window });
  expect(read(text)).toEqual(expect.any(String));
});

it.each([
  ['2026-06-21T22:00:00Z/PT0.5S', 5000],
  ['2026-06-01T00:00:00Z/P1DT1H', 86_400_000],
  ['2026-06-21 22:00/2026-06-21 21:00', 82_800_000],
  ['2026-06-21 22:00:00 - 22:10', 1_330_000],
])('the interval %s is not as long as a --window of %s ms', (text, window) => {
  const { read } = createTimeReader(AUTO, { zone: 'Europe/Vienna', window });
  expect(read(text)).toMatchObject({ kind: expect.stringContaining('unlike --window') });
});

it('a zone in the name of the column is the zone of its times', async () => {
  const stored = async (name: string, ...more: string[]) => {
    const text = `#;${name};Sound\n1;11/12/26 10:15:00 PM;-45.2\n2;2026-11-12T22:16:00Z;-45.3\n`;
    const patterns = ['--time-format', 'MM/DD/YY hh:mm:ss AM', '--skip-bad'];
    const args = ['--columns', `time=${name},level=Sound`, ...patterns, ...more];
    const { db, lines } = await imported([file(text), ...args]);
    return db.rows[0]?.slice(0, 16) ?? lines.join();
  };
  for (const name of ['Date Time, GMT-05:00', 'Time (UTC-5)', 'time -05:00', 'Time [America/New_York]'])
    expect(await stored(name)).toBe('2026-11-13T03:15');
  expect(await stored('time_utc')).toBe('2026-11-12T22:15');
  expect(await stored('Time (EST)', '--zone', 'America/New_York')).toBe('2026-11-13T03:15');
  for (const name of ['Time', 'Local time', 'Time (CST)', 'Timestamp_local'])
    await expect(stored(name)).rejects.toThrow('no points found');
  const other = [
    file('Time (GMT-5),Sound\n2026-11-12 22:15,-45.2\n'),
    '--columns',
    'time=Time (GMT-5),level=Sound',
  ];
  expect(await refusedImport([...other, ...UTC])).toMatch(
    /line 2: .* is in GMT-5, but UTC has another offset at that time: leave out --zone/,
  );
  const own = [file('Time (GMT-5),Sound\n2026-11-12T22:15Z,-45.2\n'), ...other.slice(1), ...UTC];
  expect((await imported(own)).db.rows).toEqual(['2026-11-12T22:15:00.000000Z,-45.2,,false']);
  const byPosition = [file('Time (GMT-5),Sound\n2026-11-12 22:15,-45.2\n'), '--columns', 'time,level'];
  expect((await imported(byPosition)).db.rows).toHaveLength(1);
});

it('a time ahead of now is stored only with --far', async () => {
  const ahead = [file(lines('2034-11-12T22:15:00Z,50')), ...NAMES];
  expect(await refusedImport(ahead)).toContain('ahead of now. --far stores it');
  expect((await imported([...ahead, '--far'])).db.rows).toEqual(['2034-11-12T22:15:00.000000Z,-50,,false']);
  const mixed = file(lines('2034-11-12T22:15:00Z,', `${second(0)},50`, `${second(1)},50`));
  const run = await imported([mixed, ...NAMES, '--skip-bad']);
  expect(run.db.rows).toHaveLength(2);
  expect(run.lines).toContainEqual(expect.stringContaining('1 line: the time lies more than a day ahead'));
});

it.each(
  `2026-11-12_22:15:00|2026.11.12 22:15|2026/11/12, 22:15:00|20261112T221500|20261112221500|12-Nov-2026 22:15:00
  |Nov 12, 2026 10:15:00 PM|Thu, 12 Nov 2026 22:15:00 +0100|2026-11-12 22:15 GMT+1|12. November 2026 um 22:15:00 MEZ
  |12 novembre 2026 à 22:15|12 de noviembre de 2026, 22:15:00|Donnerstag, 12. Nov 2026 22:15 Uhr|1794518100
  |1794518100000|1.794518100000000000e+09|1.794518100000e+12|2026-11-12T22:15:00+01:00[Europe/Vienna]
  |Thu Nov 12 2026 22:15:00 GMT+0100 (Central European Standard Time)|2026-11-12T21:15:00Z[UTC]|2026-11-12 22:15 Europe/Vienna
  |2026-11-12 22:15 (GMT+1)|2026-11-12 22:15 (MEZ)|2026-11-12T22:15:00[Europe/Vienna]|2026-11-12 22:14:60.0
  |2026-11-12T21:15:00Z/2026-11-12T21:25:00Z|2026-11-12 22:15 - 2026-11-12 22:25|20261112T211500Z/PT10M|2026-11-12 22:15 - 22:25|2026年11月12日 22時15分00秒|2026-11-12T22:15+01:00[Europe/Vienna][u-ca=gregory]|2026-11-12, 10:15:00 p.m.`.split(
    /\s*\|/,
  ),
)('the time %s is read without a pattern', (text) => {
  const { read } = createTimeReader(AUTO, { zone: 'Europe/Vienna' });
  expect(read(text)).toBe('2026-11-12T21:15:00.000000Z');
});

it('in the repeated hour, a zone in the text decides, and must fit the zone of the clock', () => {
  const read = (text: string, zone?: string) => createTimeReader(AUTO, { zone }).read(text);
  expect(read('2026-10-25 02:30 CEST', 'Europe/Vienna')).toBe('2026-10-25T00:30:00.000000Z');
  expect(read('2026-10-25 02:30 CET', 'Europe/Vienna')).toBe('2026-10-25T01:30:00.000000Z');
  expect(read('2026-07-25 02:30 CET', 'Europe/Vienna')).toMatchObject({
    kind: 'the time is in CET, but Europe/Vienna has another offset at that time',
  });
  expect(read('2026-07-25 02:30 CST')).toMatchObject({
    kind: 'the time has the ambiguous zone CST',
  });
  expect(read('2026-11-12 22:15:00 (GMT+1)', 'UTC')).toMatchObject({
    kind: 'the time is in GMT+1, but UTC has another offset at that time',
  });
  for (const text of ['+02:00[Europe/Vienna]', ' GMT+0200 (CET)', ' (sunny)', '/later'])
    expect(read(`2026-11-12T22:15:00${text}`, 'UTC')).toMatchObject({ isNoTime: true });
  expect(read('2026-11-12 24:00', 'UTC')).toBe('2026-11-13T00:00:00.000000Z');
  expect(read('2026-11-12 24:01', 'UTC')).toMatchObject({ kind: 'the time is not understood' });
});

const INSTANT = new Date('2026-11-13T22:15:07Z');
const LOCALES =
  'en-US en-GB de-DE fr-FR es-ES it-IT nl-NL sv-SE da-DK fi-FI nb-NO pl-PL cs-CZ hu-HU ru-RU pt-BR tr-TR ja-JP zh-CN zh-TW ko-KR en-CA es-MX el-GR bg-BG fr-CA';
it.each(LOCALES.split(' '))(
  'the time of a browser in %s is read, or the import offers a pattern that reads it',
  (locale) => {
    const text = INSTANT.toLocaleString(locale, { timeZone: 'UTC' });
    const read = createTimeReader(AUTO, { zone: 'UTC' }).read(text);
    const [, pattern = ''] =
      (typeof read !== 'string' && /--time-format "(.*?)"/.exec(messageOfFault(read))) || [];
    const format = parseTimeFormat(pattern);
    expect(format ? createTimeReader(format, { zone: 'UTC' }).read(text) : read).toBe(
      '2026-11-13T22:15:07.000000Z',
    );
  },
);

it('a format without a time of day is refused', () => {
  for (const pattern of ['DD.MM.YYYY', 'YYYY-MM-DD mm']) expect(parseTimeFormat(pattern)).toBeUndefined();
});

describe('A log of changes', () => {
  const changes = lines(
    `${second(0)},40`,
    `${second(300)},70`,
    ...Array.from({ length: 60 }, (_, n) => `${second(301 + n)},70`),
  );
  it('is stored with a warning that its spacing distorts Leq', async () => {
    const { lines } = await imported([file(changes), ...NAMES, '--clip']);
    expect(lines.find((line) => line.startsWith('Warning'))).toContain(
      'are unevenly spaced, as in a log of changes. Each counts the same in Leq',
    );
  });
  it('repeats each level until the next with --hold, up to --hold-max', async () => {
    const { db } = await imported([
      file(lines(`${second(0)},60`, `${second(5)},`, `${second(9)},70`, `${second(19)},71`)),
      ...NAMES,
      '--hold',
      '2s',
      '--hold-max',
      '6s',
    ]);
    expect(db.rows.map((row) => `${row.slice(17, 19)} ${row.split(',')[1]}`)).toEqual([
      '00 -40',
      '02 -40',
      '04 -40',
      '05 ',
      '09 -30',
      '11 -30',
      '13 -30',
      '19 -29',
    ]);
  });
});

describeOnWire('A repeated table', (engine) => {
  const test = openForAll(() => engine.open());
  it('replaces only points that it overlaps, as a dry run shows', async () => {
    await test.sql(
      `insert into audio_data select '2026-01-01Z'::timestamptz + n * interval '1 h', -20 from generate_series(0, 199) n`,
    );
    const path = file(lines('2025-12-30T00:00:09Z,50', '2026-01-05T00:00:00Z,50', '2026-01-05T00:00:01Z,50'));
    await test.sql(`update audio_data_refreshes set raw_retention = '1 day'`);
    const run = createRun({ onto: test.db });
    await importCsv([path, ...NAMES, '--replace', '--dry-run'], run.io);
    const found = 'would replace 1 point, 2026-01-05T00:00:00.000000Z to 2026-01-05T00:00:00.000000Z';
    expect(run.printed.at(-1)).toContain(found);
    expect(run.lines).toEqual([
      expect.stringMatching(/^Warning: points before .* expire soon, because RAW_RETENTION is 1 day\. /),
    ]);
    const what = ['--weighting', 'A', '--statistic', 'leq', '--instrument', 'NL-52'];
    await importCsv([path, ...NAMES, ...what, '--replace'], run.io);
    const counts =
      'select count(*)::int as n, count(*) filter (where rms_db = -50)::int as own from audio_data';
    expect(await test.sql(counts)).toEqual([{ n: 202, own: 3 }]);
    const ends = 'select since::text from audio_data_periods order by since desc limit 1';
    expect(await test.sql(ends)).toEqual([{ since: expect.stringMatching(/:01\.000001/) }]); // after its last point
    const first = `select weighting, statistic, reference_db, interval_ms, instrument, time_weighting
      from audio_data_periods order by since limit 1`;
    expect(await test.sql(first)).toEqual([
      {
        ...{ weighting: 'A', statistic: 'leq', reference_db: 100, interval_ms: null },
        ...{ instrument: 'NL-52', time_weighting: null },
      },
    ]);
  });
});
