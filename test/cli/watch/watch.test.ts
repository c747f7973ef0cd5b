import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLevelMeter } from '../../../src/cli/watch/watch-command.ts';
import { startSmallService } from '../../client/embedded-service.ts';
import { openForAll } from '../../engines.ts';
import { messageOf } from '../../recorder/run.ts';
import { start, storeLevel } from './watching.ts';

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
    next: () => Promise<unknown> = () => store(-20, 1),
  ) {
    const stored = () => next().then(isEnough);
    await expect.poll(stored, { interval: 20 }).toBe(true);
    end();
    await run;
  }

  it('prints a line for each point, and ends on a signal', async () => {
    const watching = start([service.url]);
    await watchUntil(() => watching.written.length >= 2, watching);
    expect(watching.written.length).toBeGreaterThan(1);
    for (const line of watching.written)
      expect(line).toMatch(/^\d\d:\d\d:\d\d\.\dZ \[.{40}\] -20\.0 dBFS 440 Hz\n$/);
  });

  it('prints levels on the scale of the recorder', async () => {
    await service.sql(`insert into audio_data_periods (since, weighting, reference_db)
      values (now() - interval '1 hour', 'A', 85)`);
    onTestFinished(() => service.sql('delete from audio_data_periods').then(() => {}));
    const watching = start([service.url]);
    await watchUntil(() => watching.written.length >= 1, watching);
    expect(watching.written[0]).toContain(' 65.0 dB(A) 440 Hz');
  });

  it.each<[args: string, ...facts: string[]]>([
    ['ftp://x', 'Url: must be an http or https address', 'without user, password'],
    ['http://me:secret@x', 'Url: must be an http or https address', 'without user, password'],
    ['--notify mqtt://a:b@h --notify mqtt://c:d@h', '--notify', 'twice'],
    ['--levels stored --threshold 3', '-50 to 0', '--levels absolute'],
    ['--threshold -10 --above-background 10', '--threshold', '--above-background'],
    ['--above-background 2', '--above-background', '3 to 60'],
    ['--on loud', '--on', 'start, end, silent, back, night'],
    ['--every often', '--every', '0s to 1d'],
    ['--silent-after 1s', '--silent-after', '1m to 1d'],
    ['--language fr', '--language', 'en, de'],
    ['--link here', '--link', 'http or https'],
    ['--station Garden', '--station', '1 to 40 letters'],
    ['--threshold loud', '--threshold', '-50 to 0'],
    ['--levels true', '--levels', 'stored, absolute'],
    ['--hold 2h', '--hold', '0s to 1h'],
    ['--from noon', '--from', 'RFC 3339'],
    ['--notify here', '--notify', 'https://host/path', 'ntfy'],
    ['--notify ftp://me:secret@host', '--notify', 'https://host/path', 'ntfy'],
  ])('refuses %s, and names the option and what is allowed', async (args, ...facts) => {
    const message = await messageOf(start(args.split(' ')).run);
    for (const fact of facts) expect(message).toContain(fact);
    expect(message).not.toContain('secret');
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
