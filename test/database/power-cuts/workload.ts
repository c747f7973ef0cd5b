// A process that stores on the embedded database, and is killed at the end: node workload.ts FOLDER FIRST_BATCH BATCHES
import { openPglite } from '../../../src/database/pglite.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { copyIn } from '../../copy-in.ts';
import { csvOf } from './batches.ts';

declare function say(text: string): void;

const [dataDir = '', first = '0', count = '0'] = process.argv.slice(2);
const db = await openPglite({ dataDir });
for (let batch = Number(first); batch < Number(first) + Number(count); batch++) {
  say('begun');
  await copyIn(db, csvOf(batch));
  say('stored');
  if (batch % 4 === 1) await refreshRollups(db.run, 100_000);
  if (batch % 5 === 2) await db.run('checkpoint');
  if (batch % 7 === 3) await db.run('select pg_switch_wal()');
  if (batch % 7 === 5) await db.run('vacuum');
}
process.kill(process.pid, 'SIGKILL');
