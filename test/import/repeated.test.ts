// Rows in time that was already read: of several sensors, of overlapping files, or after a clock was set back.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { createStretches } from '../../src/import/repeats.ts';
import { file, imported, refusedImport } from '../recorder/run.ts';

const START = Date.parse('2026-05-01T00:00:00Z');
const NAMED = ['--columns', 'time=t,level=l'];
const at = (second: number) => instantOf(START + second * 1000);
const seconds = (first: number, end: number) => Array.from({ length: end - first }, (_, n) => first + n);
const table = (header: string, lines: readonly string[]) => file(`${header}\n${lines.join('\n')}\n`);
/** @param times in seconds */
const levels = (times: readonly number[], level = -20) =>
  table(
    't,l',
    times.map((second) => `${at(second)},${level}`),
  );
const rows = (times: readonly number[], level = -20) =>
  times.map((second) => `${at(second)},${level},,false`);
const told = (repeated: number, all: number) =>
  `${repeated.toLocaleString('en')} of ${all.toLocaleString('en')} rows lie in time that was already read`;

async function refusal(path: string | readonly string[], facts: readonly string[], ...args: string[]) {
  const message = await refusedImport([...[path].flat(), ...NAMED, ...args]);
  for (const fact of facts) expect(message).toContain(fact);
  return message;
}

it('several sensors at the same minutes are refused, with their column and ways to keep them apart', async () => {
  const lines = seconds(0, 60).flatMap((n) =>
    [227, 301, 1048].map((id) => `${at(60 * n)},${id},-20,${n % 7}`),
  );
  const path = table('t,Id_Instal,l,x', lines);
  const message = await refusal(path, [
    `line 3: the time repeats ${at(0)}; ${told(120, 180)}`,
    'its column "Id_Instal" has "227", "301", "1048". Choose one with --where Id_Instal=227',
    '--station-by Id_Instal=227:s_227,301:s_301,1048:s_1048 --create',
    '--repeated keep',
  ]);
  const [, where = ''] = /--where (\S+?)\. /.exec(message) ?? [];
  const { db } = await imported([path, ...NAMED, '--where', where]);
  expect(db.rows).toEqual(rows(seconds(0, 60).map((n) => 60 * n)));
  expect((await imported([path, ...NAMED, '--repeated', 'keep'])).db.rows).toHaveLength(180);
  await refusal(path, [told(120, 180), '--repeated drop'], '--where', 'Id_Instal=*');
  expect(message).not.toContain('millis');
});

it('sixty sensors are refused like forty', async () => {
  for (const sensors of [40, 60]) {
    const ids = seconds(1, sensors + 1);
    const lines = seconds(0, 30).flatMap((n) => ids.map((id) => `${at(60 * n)},${id},${-20 - (id % 9)}`));
    await refusal(table('t,sensor_id,l', lines), ['its column "sensor_id" has "1", "2"']);
  }
});

it('sensors that a gateway asks in turn are refused, but not a number that changes with each row', async () => {
  const turns = seconds(0, 50).flatMap((n) => [12, 7, 30].map((id, turn) => [60 * n + turn, id] as const));
  const lines = turns.map(([second, id], n) => `${at(second)},-20,${id},${20 + (n % 4)}`);
  await refusal(table('t,l,mic,temperature', lines), ['its column "mic" has "12", "7", "30"']);
  const one = turns.map(([second], n) => `${at(second)},-20,${20 + ((n * 7) % 5)}`);
  expect((await imported([table('t,l,temperature', one), ...NAMED])).db.rows).toHaveLength(150);
});

it('sensors one after the other are refused, even if their times differ', async () => {
  const jitter = (n: number, sensor: number) => n + ((n * 7919 + sensor * 31) % 100) / 400;
  const lines = ['garden', 'hall', 'yard'].flatMap((name, sensor) =>
    seconds(0, 2000).map((n) => `${at(jitter(n, sensor))},${n % 13},-20,${name}`),
  );
  await refusal(table('t,x,l,place', lines), [
    'line 2002: the time goes back by 2,000',
    'its column "place" has "garden", "hall", "yard"',
  ]);
});

it('logs of changes one after the other are refused, however irregular', async () => {
  const lines = ['a', 'b', 'c', 'd', 'e'].flatMap((name, sensor) => {
    let second = 0;
    return seconds(0, 4000).map((n) => {
      second += 1 + ((n * 7919 + sensor * 104_729) % 1013) / 20;
      return `${at(second)},-20,sensor.${name}`;
    });
  });
  await refusal(table('t,l,entity_id', lines), [
    'its column "entity_id" has "sensor.a", "sensor.b", "sensor.c"',
  ]);
});

it('daily files that overlap are refused, and --repeated drop stores each time once', async () => {
  const [one, two] = [levels(seconds(0, 7200)), levels(seconds(3600, 9000), -30)];
  const facts = [`${two}, line 2: the time goes back by 3,600 s to ${at(3600)}`, told(3600, 12_600)];
  await refusal([one, two], [...facts, '--repeated drop', '--repeated keep --add']);
  const { db, lines } = await imported([one, two, ...NAMED, '--repeated', 'drop']);
  expect(db.rows).toEqual([...rows(seconds(0, 7200)), ...rows(seconds(7200, 9000), -30)]);
  expect(lines.join()).toContain(told(3600, 12_600));
  const both = await imported([one, two, ...NAMED, '--repeated', 'keep', '--add']);
  expect(both.db.rows).toHaveLength(12_600);
  const again = await imported([one, one, ...NAMED, '--repeated', 'drop']);
  expect(again.db.rows).toEqual(rows(seconds(0, 7200)));
});

it('every line twice is refused, and each is stored once with --repeated drop', async () => {
  const twice = levels(seconds(0, 100).flatMap((n) => [n, n]));
  await refusal(twice, [`line 3: the time repeats ${at(0)}`, told(100, 200), '--repeated drop']);
  const { db } = await imported([twice, ...NAMED, '--repeated', 'drop']);
  expect(db.rows).toEqual(rows(seconds(0, 100)));
});

it('eight levels a second under whole seconds are refused, and a column of milliseconds is offered', async () => {
  const times = seconds(0, 800).map((n) => Math.floor(n / 8));
  await refusal(levels(times), [told(700, 800), '--repeated drop', '--repeated keep']);
  expect((await imported([levels(times), ...NAMED, '--repeated', 'keep'])).db.rows).toEqual(rows(times));
  const path = table(
    't,l,ms',
    times.map((second, n) => `${at(second)},-20,${(n % 8) * 125}`),
  );
  await refusal(path, ['If "ms" is part of the time, add millis=ms to --columns']);
  const { db } = await imported([path, '--columns', 'time=t,level=l,millis=ms']);
  expect(db.rows).toEqual(rows(seconds(0, 800).map((n) => n / 8)));
});

it('a clock that was set back is told, with how far and how many rows', async () => {
  const minutes = [...seconds(0, 900), ...seconds(840, 1380)].map((n) => 60 * n);
  const facts = [`line 902: the time goes back by 3,600 s to ${at(840 * 60)}`, told(60, 1440)];
  await refusal(levels(minutes), facts);
  const { db, lines } = await imported([levels(minutes), ...NAMED, '--repeated', 'drop']);
  expect(db.rows).toEqual(rows(seconds(0, 1380).map((n) => 60 * n)));
  expect(lines.join()).toContain(facts[0]);
});

it('a few repeated rows are stored, and told', async () => {
  const { db, lines } = await imported([levels([...seconds(0, 5000), ...seconds(4998, 6000)]), ...NAMED]);
  expect(db.rows).toHaveLength(6002);
  expect(lines.join()).toContain(`line 5002: the time goes back by 2 s to ${at(4998)}; ${told(2, 6002)}`);
});

const days = seconds(0, 3).flatMap((day) => seconds(86_400 * day, 86_400 * day + 300));
const SINGLE: Readonly<Record<string, readonly number[]>> = {
  'the newest point first': seconds(0, 600).toReversed(),
  'pauses, filled by later rows': [...days, ...seconds(3600, 3900), ...seconds(90_000, 90_100)],
  'rows that swapped places': seconds(0, 600).map((n) => (n % 50 === 9 ? n + 1 : n % 50 === 10 ? n - 1 : n)),
  'a gap that arrived late': [...seconds(0, 100), ...seconds(130, 300), ...seconds(100, 130)],
  'irregular times': seconds(0, 600).map((n) => n * n + (n % 3) * 0.25),
  'another spacing later': [...seconds(0, 600), ...seconds(10, 300).map((n) => 60 * n)],
};
it.each(Object.entries(SINGLE))('a log with %s has no repeated rows', async (_what, times) => {
  const { db, lines } = await imported([levels(times), ...NAMED, '--far']);
  expect(db.rows).toEqual(rows(times));
  expect(lines.join()).not.toContain('already read');
});

it('in falling order, overlapping rows are repeated too', async () => {
  const falling = [...seconds(0, 600).toReversed(), ...seconds(-300, 60).toReversed()];
  await refusal(levels(falling), ['line 602: the time jumps by 60 s', told(60, 960)]);
});

it('the repeated autumn hour of local time has no repeated rows', async () => {
  const clock = (minute: number) =>
    `2025-10-26 0${1 + Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
  const lines = [...seconds(0, 120), ...seconds(60, 180)].map((minute) => `${clock(minute)},-20`);
  const { db } = await imported([table('t,l', lines), ...NAMED, '--zone', 'Europe/Vienna']);
  expect(new Set(db.rows).size).toBe(240);
});

it('a time that was read is always known again', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 10_000 })), (times) => {
      const stretches = createStretches();
      const seen = new Set<number>();
      for (const time of times) {
        if (seen.has(time)) expect(stretches.has(time)).toBe(true);
        else stretches.has(time);
        seen.add(time);
      }
    }),
  );
});
