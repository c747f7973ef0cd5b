// What a measurement needs: PostgreSQL from the installed binaries, points in it, and the service on it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import packageJson from '../package.json' with { type: 'json' };
import { migrate } from '../src/db/migrate.ts';
import { findPostgres, freePort, startCluster } from '../test/cluster.ts';

export interface Stage {
  /** The service, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly database: pg.Client;
  /** The first and the last instant of the points, which are 10 a second, as `from=...&to=...`. */
  readonly interval: string;
  /** Memory of the service that is in use, in MB. */
  memory(): number;
  close(): Promise<void>;
}

/** Starts everything; `close` leaves nothing running. */
export async function openStage(points: number, say: (line: string) => void): Promise<Stage> {
  const bin = findPostgres();
  if (!bin) throw new Error('PostgreSQL is not installed: initdb and postgres are needed');
  say('starting PostgreSQL');
  const cluster = await startCluster(bin, { shared_buffers: '256MB' });
  const database = new pg.Client({ connectionString: cluster.url });
  database.on('error', () => {}); // it ends with the server
  let service: Awaited<ReturnType<typeof startService>> | undefined;
  async function close(): Promise<void> {
    await service?.stop();
    await database.end();
    await cluster.stop();
  }
  try {
    await migrate({ url: cluster.url });
    await database.connect();
    say(`storing ${points.toLocaleString('en')} points`);
    const interval = await store(database, points);
    say('starting the service');
    const running = await startService(cluster.url);
    service = running;
    return { url: running.url, database, interval, memory: running.memory, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function store(database: pg.Client, points: number): Promise<string> {
  await database.query(
    `insert into audio_data (time, rms_db, frequency_hz, is_silence)
     select date_trunc('second', now()) - ($1::int - n) * interval '100 ms',
       (-20 + 15 * sin(n / 50.0) - 3 * random())::real, 100 + (random() * 7900)::int, n % 97 = 0
     from generate_series(0, $1::int - 1) n`,
    [points],
  );
  await database.query('vacuum analyze audio_data');
  const { rows } = await database.query(
    "select to_json(min(time)) #>> '{}' as first, to_json(max(time) + interval '1 us') #>> '{}' as after from audio_data",
  );
  return String(new URLSearchParams({ from: rows[0].first, to: rows[0].after }));
}

async function startService(databaseUrl: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { PATH = '' } = process.env;
  const [, ...args] = packageJson.scripts.start.split(' '); // as `npm start` does
  const child = spawn(process.execPath, args, {
    env: { PATH, DATABASE_URL: databaseUrl, PORT: String(port), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill); // also when the measurement is interrupted
  for (let attempt = 0; ; attempt++) {
    if (
      await fetch(`${url}/api/v1/health/ready`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      break;
    if (child.exitCode !== null || attempt === 150) throw new Error('The service did not start');
    await sleep(100);
  }
  return {
    url,
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1024,
    async stop() {
      const exited = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGTERM');
      await exited;
      process.off('exit', kill);
    },
  };
}
