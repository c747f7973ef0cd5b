import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLevelMeter } from '../../src/meter/level-meter.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { FAILURE, start, startHook, storeLevel } from './watching.ts';

describe('The level meter', () => {
  const at = (seconds: number, rms_db: number | null, frequency_hz: number | null = 440) => ({
    time: `2026-01-01T00:00:${String(seconds).padStart(2, '0')}.000000Z`,
    rms_db,
    frequency_hz,
    is_silence: rms_db === null,
  });

  it('shows the newest level as a bar, and a held peak that falls slowly', () => {
    const meter = createLevelMeter();
    const line = (points: Parameters<typeof meter.line>[0]) =>
      meter.line(points, { unit: 'dBFS', offset: 0 });
    expect(line([at(0, -25)])).toBe(
      '00:00:00.0Z [####################|                   ] -25.0 dBFS 440 Hz',
    );
    expect(line([at(1, -5), at(2, -50, null)])).toBe(
      '00:00:02.0Z [                            |           ] -50.0 dBFS',
    );
    expect(line([at(59, null)])).toBe(
      '00:00:59.0Z [|                                       ]     - dBFS silent',
    );
    expect(line([at(59, 0)])).toContain('#######|] ');
    expect(line([])).toBe('');
    expect(meter.line([at(60, -30)], { unit: 'dB(A)', offset: 85 })).toContain('  55.0 dB(A) 440 Hz');
  });
});

describe('npm run watch', () => {
  const service = openForAll(() => startSmallService({ clock: Date.now, livePollMs: 50 }));
  beforeEach(() => service.sql('truncate audio_data'));

  const store = (level: number, count: number, age = 0) => storeLevel(service, level, count, age);
  /** Stores points until the output suffices, and ends the watch. */
  async function watchUntil(
    isEnough: () => boolean,
    { end, run }: ReturnType<typeof start>,
    next: (n: number) => Promise<unknown> = () => store(-40, 5),
  ) {
    for (let n = 0; n < 3000 && !isEnough(); n++) {
      await next(n);
      await sleep(20);
    }
    end();
    await run;
  }

  it('prints a line for each point, and ends on a signal', async () => {
    const watching = start([service.url]);
    await watchUntil(
      () => watching.written.length >= 2,
      watching,
      () => store(-20, 1),
    );
    expect(watching.written.length).toBeGreaterThan(1);
    for (const line of watching.written)
      expect(line).toMatch(/^\d\d:\d\d:\d\d\.\dZ \[.{40}\] -20\.0 dBFS 440 Hz\n$/);
  });

  it('prints levels on the scale of the recorder', async () => {
    await service.sql(`insert into audio_data_periods (since, weighting, reference_db)
      values (now() - interval '1 hour', 'A', 85)`);
    onTestFinished(() => service.sql('delete from audio_data_periods').then(() => {}));
    const watching = start([service.url]);
    await watchUntil(
      () => watching.written.length >= 1,
      watching,
      () => store(-20, 1),
    );
    expect(watching.written[0]).toContain(' 65.0 dB(A) 440 Hz');
  });

  it('posts each finished noise event to a webhook, retries a refused one, and signs all', async () => {
    const hook = await startHook([500, 200]);
    await store(-40, 300, 2); // 6 s, until 2 s ago
    await store(-5, 10, 6.999); // an event that is already over
    const rule = [
      '--on',
      'end',
      '--every',
      '0s',
      '--threshold',
      '-10',
      '--hold',
      '300ms',
      '--from',
      'now-1m',
    ];
    const watching = start([service.url, '--notify', hook.url, ...rule], { webhookSecret: 'secret' });
    // the sixth batch is another event, which ends with the quieter points after it
    const isTaken = () => hook.taken.length >= 3;
    await watchUntil(isTaken, watching, (n) => store(n === 5 ? -6 : -40, 5));
    const events = hook.taken.map(({ body }) => JSON.parse(body));
    expect(hook.taken.map(({ status }) => status)).toEqual([500, 200, 200]);
    expect(events[1]).toEqual(events[0]);
    expect(events.map(({ kind, peak_db }) => [kind, peak_db])).toEqual([
      ['end', -5],
      ['end', -5],
      ['end', -6],
    ]);
    expect(events[2].id).not.toBe(events[0].id);
    expect(events[0]).toMatchObject({
      id: `default~end~${events[0].start}~-10`,
      station: 'default',
      threshold: -10,
      scale: { levels: 'stored', unit: 'dBFS', reference_db: 0 },
    });
    for (const { body, signature } of hook.taken)
      expect(signature).toBe(`sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`);
    expect(watching.said.filter((line) => FAILURE.test(line))).toEqual([
      `A message for ${new URL(hook.url).origin} waits: it answered 500. Retries continue for up to a day`,
    ]);
    const all = await service.client.events.list.query({ threshold: -10, hold_seconds: 0.3, from: 'now-1m' });
    expect(all.events.map(({ start }) => start).reverse()).toEqual([events[0].start, events[2].start]);
  });

  it.each([
    [['ftp://x'], 'Url: must be an http or https address, without user, password'],
    [['http://me:secret@x'], 'Url: must be an http or https address, without user, password'],
    [['--notify', 'mqtt://a:b@h', '--notify', 'mqtt://c:d@h'], '--notify: the same receiver is given twice'],
    [
      ['--levels', 'stored', '--threshold', '3'],
      'must be a number of dB, from -50 to 0 with stored levels; --levels absolute takes',
    ],
    [['--threshold', '-10', '--above-background', '10'], "cannot be used with option '--above-background"],
    [['--above-background', '2'], 'It must be a number of dB from 3 to 60.'],
    [['--on', 'loud'], 'It must be one or more of start, end, silent, back, night, separated by commas.'],
    [['--every', 'often'], 'It must be a length of time from 0s to 1d, in ms, s, m, h or d.'],
    [['--silent-after', '1s'], 'It must be a length of time from 1m to 1d, in ms, s, m, h or d.'],
    [['--language', 'fr'], 'Allowed choices are en, de.'],
    [['--link', 'here'], '--link: must be an http or https address'],
    [['--station', 'Garden'], 'It must be 1 to 40 letters'],
    [['--threshold', 'loud'], 'It must be a number of dB, from -50 to 0 with stored levels.'],
    [['--levels', 'true'], 'Allowed choices are stored, absolute.'],
    [['--hold', '2h'], 'It must be a length of time from 0s to 1h, in ms, s, m, h or d.'],
    [['--from', 'noon'], 'It must be an RFC 3339 time'],
    [['--notify', 'here'], 'must be a webhook (https://host/path), an ntfy topic'],
    [['--notify', 'ftp://me:secret@host'], 'must be a webhook (https://host/path), an ntfy topic'],
  ])('refuses %j', async (args, allowed) => {
    await expect(start(args).run).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(allowed),
    });
  });

  it('repeats no credentials of a URL that it refuses', async () => {
    const refused = start(['--notify', 'mqtts://me:secret@host/a/b']).run;
    await expect(refused).rejects.not.toThrow('secret');
  });

  it('names the address if no service answers there', async () => {
    await expect(start(['http://127.0.0.1:1']).run).rejects.toThrow(
      'No service answers at http://127.0.0.1:1',
    );
  });
});
