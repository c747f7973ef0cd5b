// The cost of API keys and rate limits: `latest` with both on, against both off or another version.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../child.ts';
import type { Figure } from '../figure.ts';
import { poll } from '../pollers.ts';
import { inTurn, ratioOf } from '../rounds.ts';
import type { TestBed } from './test-bed.ts';

const ROUNDS = 21;
const SECONDS = 1;

export async function cost({ database, start, options, say }: TestBed): Promise<Figure[]> {
  const against = options.service ? 'the other version' : 'off';
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-keys-'));
  try {
    const [key, file] = ['a-key-of-the-benchmark', join(folder, 'keys')];
    writeFileSync(file, `bench ${createHash('sha256').update(key).digest('hex')}\n`);
    await using on = await startService(database, { API_KEYS_FILE: file, RATE_LIMIT: '1000000' });
    await using off = await start();
    const ways = {
      ours: { url: on.url, headers: () => ({ authorization: `Bearer ${key}` }) },
      theirs: { url: off.url, headers: () => ({}) },
    };
    const path = (client: number) => `/api/v1/audio/latest?limit=${100 + client}`; // so that requests share no answer
    const polling = { path, clients: 16, seconds: SECONDS, everyMs: 0 };
    const rounds = await inTurn(ROUNDS, ways, async (way, round) => {
      say(`latest ${way === ways.ours ? 'with keys and limits on' : against}: round ${round} of ${ROUNDS}`);
      const polled = await poll({ ...polling, ...way });
      if (polled.errors > 0) throw new Error(polled.firstError);
      return polled.perSecond;
    });
    const ratio = ratioOf(rounds, (perSecond) => perSecond, 'a second');
    return [{ work: `latest with keys and limits on, against ${against}`, ...ratio, bar: { atLeast: 0.95 } }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
