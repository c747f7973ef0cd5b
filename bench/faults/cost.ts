// What the means against strangers cost those who may ask: latest with keys and limits on, against off.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { poll } from '../pollers.ts';
import { inTurn, ratioOf } from '../rounds.ts';
import { LATEST } from './probe.ts';
import type { World } from './world.ts';

const ROUNDS = 7;
const SECONDS = 2;

export async function cost({ start, say }: World): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-keys-'));
  try {
    const [key, file] = ['a-key-of-the-benchmark', join(folder, 'keys')];
    writeFileSync(file, `bench ${createHash('sha256').update(key).digest('hex')}\n`);
    await using on = await start({ API_KEYS_FILE: file, RATE_LIMIT: '1000000' });
    await using off = await start();
    const ways = {
      ours: { url: on.url, headers: { authorization: `Bearer ${key}` } },
      theirs: { url: off.url, headers: {} },
    };
    const ask = { path: () => LATEST.path, clients: 16, seconds: SECONDS, everyMs: 0 };
    const rounds = await inTurn(ROUNDS, ways, async (way, round) => {
      say(`latest with keys and limits ${way === ways.ours ? 'on' : 'off'}: round ${round} of ${ROUNDS}`);
      const polled = await poll({ ...ask, ...way });
      if (polled.errors > 0) throw new Error(polled.firstError);
      return polled.perSecond;
    });
    const ratio = ratioOf(rounds, (perSecond) => perSecond, 'a second');
    return [{ work: 'latest with keys and limits on, against off', ...ratio, bar: { atLeast: 0.95 } }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
