import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { strictly } from '../../src/cli/command-line.ts';
import { instantOf } from '../../src/contract/instant.ts';
import { createLevelMeter } from '../../src/meter/level-meter.ts';
import { type WatchIo, watchCommand } from '../../src/meter/watch-command.ts';
import { startSmallService } from '../client/embedded-service.ts';
import type { TestService } from '../service.ts';

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

/** Not that points stay away, which they may on a busy machine. */
const FAILURE = /webhook|Noise events/;

describe('npm run watch', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startSmallService({ clock: Date.now, livePollMs: 50 });
  });
  afterAll(() => service?.close());
  beforeEach(() => service.sql('truncate audio_data'));

  /** Stores points of a level, so many seconds before now, one each 20 ms. */
  const store = (level: number, count: number, age = 0) =>
    service.sql(`insert into audio_data select time, ${level}, 440, false from generate_series(
      '${new Date(Date.now() - age * 1000).toISOString()}'::timestamptz - interval '${(count - 1) * 20} ms',
      '${new Date(Date.now() - age * 1000).toISOString()}', interval '20 ms') as time`);

  function start(args: string[], io: Partial<WatchIo> = {}) {
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const written: string[] = [];
    const said: string[] = [];
    const command = strictly(
      watchCommand(() => ({
        isTerminal: false,
        write: (text) => written.push(text),
        say: (line) => said.push(line),
        now: () => instantOf(Date.now()),
        signal: ending.signal,
        ...io,
      })),
    );
    return { run: command.parseAsync(args, { from: 'user' }), written, said, end: () => ending.abort() };
  }

  async function startHook(answers: number[]) {
    const taken: { body: string; signature: string | undefined; status: number }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const status = answers.shift() ?? 200;
      taken.push({ body, signature: request.headers['x-signature']?.toString(), status });
      response.writeHead(status, { location: '/elsewhere' });
      if (status !== 307) response.end();
      else {
        response.write('x'); // a body that never ends
        response.on('close', () => taken.push({ body: 'the body is not read', signature: '', status: 0 }));
      }
    });
    onTestFinished(() => server.closeAllConnections());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, taken };
  }

  it('writes a line for what comes, and ends at a signal', async () => {
    const watching = start([service.url]);
    for (let n = 0; n < 100 && watching.written.length < 2; n++) {
      await store(-20, 1);
      await sleep(60);
    }
    watching.end();
    await watching.run;
    expect(watching.written.length).toBeGreaterThan(1);
    for (const line of watching.written)
      expect(line).toMatch(/^\d\d:\d\d:\d\d\.\dZ \[.{40}\] -20\.0 dBFS 440 Hz\n$/);
  });

  it('writes levels on the scale of the recorder', async () => {
    await service.sql(`insert into audio_data_periods (since, weighting, reference_db)
      values (now() - interval '1 hour', 'A', 85)`);
    onTestFinished(() => service.sql('delete from audio_data_periods').then(() => {}));
    const watching = start([service.url]);
    for (let n = 0; n < 100 && watching.written.length < 1; n++) {
      await store(-20, 1);
      await sleep(60);
    }
    watching.end();
    await watching.run;
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
    for (let n = 0; n < 200 && hook.taken.length < 3; n++) {
      if (n === 5)
        await store(-6, 5); // another, which ends with the points below it
      else await store(-40, 5);
      await sleep(100);
    }
    watching.end();
    await watching.run;
    const events = hook.taken.map(({ body }) => JSON.parse(body));
    expect(hook.taken.map(({ status }) => status)).toEqual([500, 200, 200]);
    expect(events[1]).toEqual(events[0]);
    expect(events.map(({ peak_db }) => peak_db)).toEqual([-5, -5, -6]);
    expect(events[2].id).not.toBe(events[0].id);
    expect(events[0]).toMatchObject({
      id: `${events[0].start}~-10`,
      threshold: -10,
      scale: { unit: 'dBFS', reference_db: 0 },
      point_count: expect.any(Number),
      sel_db: expect.any(Number),
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

  it('follows no redirect, says so, and reads no body', async () => {
    const hook = await startHook([307, 200]);
    await store(-40, 300, 2);
    await store(-5, 10, 6.999);
    const watching = start([service.url, '--webhook', hook.url, '--hold', '300ms', '--from', 'now-1m']);
    for (let n = 0; n < 200 && hook.taken.length < 3; n++) {
      await store(-40, 5);
      await sleep(100);
    }
    watching.end();
    await watching.run;
    expect(hook.taken.map(({ status }) => status)).toEqual([307, 0, 200]);
    expect(watching.said.filter((line) => FAILURE.test(line))).toEqual([
      expect.stringMatching(/: it answered 307, and redirects are not followed\. It is posted again in 1 s$/),
    ]);
  });

  it('goes on where more points are loud than a request may look at: in parts, each point once', async () => {
    const hook = await startHook([]);
    // 450,000 loud points in 75 minutes, quiet ones, and a short event among them
    await service.sql(`insert into audio_data select now() - interval '2 h' + n * interval '10 ms', -5, 440, false
      from generate_series(1, 450000) n`);
    await store(-40, 300, 60);
    await store(-3, 10, 62);
    const watching = start([service.url, '--webhook', hook.url, '--from', 'now-3h']);
    for (let n = 0; n < 500 && !hook.taken.some(({ body }) => JSON.parse(body).peak_db === -3); n++) {
      await store(-40, 1);
      await sleep(100);
    }
    watching.end();
    await watching.run;
    const events = hook.taken.map(({ body }) => JSON.parse(body));
    const [parts, [whole, ...others]] = [events.slice(0, -1), events.slice(-1)];
    const counts: number[] = parts.map(({ point_count }) => point_count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(450_000);
    expect(parts.map(({ truncated_start }) => truncated_start)).toEqual(parts.map((_, place) => place > 0));
    expect(parts.map(({ truncated_end }) => truncated_end)).toEqual(
      parts.map((_, place) => place < parts.length - 1),
    );
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect([whole?.peak_db, whole?.truncated_start, whole?.truncated_end, others]).toEqual([
      -3,
      false,
      false,
      [],
    ]);
    expect(watching.said.filter((line) => FAILURE.test(line))).toEqual([]);
  });

  it.each([
    [['ftp://x'], 'It must be an http or https address.'],
    [['--threshold', '3'], 'It must be a number of dB from -50 to 0.'],
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
