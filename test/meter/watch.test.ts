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

  it('shows the newest level as a bar, and holds the peak, which falls', () => {
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
  /** Stores points until enough was seen, and ends the watch. */
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

  it('writes a line for what comes, and ends at a signal', async () => {
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

  it('writes levels on the scale of the recorder', async () => {
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

  it('posts each noise event when it has ended, until it is taken, and signs it', async () => {
    const hook = await startHook([500, 200]);
    await store(-40, 300, 2); // 6 s, until 2 s ago
    await store(-5, 10, 6.999); // an event that is over already
    const watching = start(
      [service.url, '--threshold', '-10', '--hold', '300ms', '--webhook', hook.url, '--from', 'now-1m'],
      {
        webhookSecret: 'secret',
      },
    );
    // the sixth is another, which ends with the points below it
    const isTaken = () => hook.taken.length >= 3;
    await watchUntil(isTaken, watching, (n) => store(n === 5 ? -6 : -40, 5));
    const events = hook.taken.map(({ body }) => JSON.parse(body));
    expect(hook.taken.map(({ status }) => status)).toEqual([500, 200, 200]);
    expect(events[1]).toEqual(events[0]);
    expect(events.map(({ peak_db }) => peak_db)).toEqual([-5, -5, -6]);
    expect(events[2].id).not.toBe(events[0].id);
    expect(events[0]).toMatchObject({
      id: `${events[0].start}~-10`,
      threshold: -10,
      scale: { levels: 'stored', unit: 'dBFS', reference_db: 0 },
    });
    for (const { body, signature } of hook.taken)
      expect(signature).toBe(`sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`);
    expect(watching.said).toEqual([
      expect.stringMatching(
        /^The webhook did not take the event of .*Z: it answered 500\. It is posted again in 1 s$/,
      ),
    ]);
    const all = await service.client.events.list.query({ threshold: -10, hold_seconds: 0.3, from: 'now-1m' });
    expect(all.events.map(({ start }) => start).reverse()).toEqual([events[0].start, events[2].start]);
  });

  it('takes a threshold of sound pressure, and posts such levels', async () => {
    await expect(start([service.url, '--levels', 'absolute', '--threshold', '60']).run).rejects.toThrow(
      'nothing calibrates these levels',
    );
    await service.sql(`insert into audio_data_periods (since, weighting, reference_db)
      values (now() - interval '1 h', 'A', 85)`);
    onTestFinished(() => service.sql('truncate audio_data_periods').then(() => {}));
    await expect(start([service.url, '--levels', 'absolute', '--threshold', '20']).run).rejects.toThrow(
      'must be a number of dB from 35 to 85',
    );
    const hook = await startHook([]);
    await store(-40, 300, 2);
    await store(-5, 10, 6.999);
    const args = ['--levels', 'absolute', '--threshold', '75', '--hold', '300ms', '--from', 'now-1m'];
    const watching = start([service.url, ...args, '--webhook', hook.url]);
    await watchUntil(() => hook.taken.length >= 1, watching);
    expect(hook.taken.map(({ body }) => JSON.parse(body))).toMatchObject([
      { threshold: 75, peak_db: 80, scale: { levels: 'absolute', unit: 'dB(A)', reference_db: 0 } },
    ]);
  });

  it('follows no redirect, says so, and reads no body', async () => {
    const hook = await startHook([307, 200]);
    await store(-40, 300, 2);
    await store(-5, 10, 6.999);
    const watching = start([service.url, '--webhook', hook.url, '--hold', '300ms', '--from', 'now-1m']);
    await watchUntil(() => hook.taken.length >= 3, watching);
    expect(hook.taken.map(({ status }) => status)).toEqual([307, 0, 200]);
    expect(watching.said.filter((line) => FAILURE.test(line))).toEqual([
      expect.stringMatching(/: it answered 307, and redirects are not followed\. It is posted again in 1 s$/),
    ]);
  });

  it.each([
    [['ftp://x'], 'It must be an http or https address.'],
    [
      ['--threshold', '3'],
      'must be a number of dB, from -50 to 0 with stored levels; --levels absolute takes',
    ],
    [['--threshold', 'loud'], 'It must be a number of dB, from -50 to 0 with stored levels.'],
    [['--levels', 'true'], 'Allowed choices are stored, absolute.'],
    [['--hold', '2h'], 'It must be a length of time such as 500ms, 1s or 2m, up to an hour.'],
    [['--from', 'noon'], 'It must be an RFC 3339 time'],
    [['--webhook', 'here'], 'It must be an http or https address.'],
  ])('refuses %j', async (args, allowed) => {
    await expect(start(args).run).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(allowed),
    });
  });

  it('says where there is no service', async () => {
    await expect(start(['http://127.0.0.1:1']).run).rejects.toThrow(
      'There is no service at http://127.0.0.1:1',
    );
  });
});
