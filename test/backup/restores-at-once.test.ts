// Two restores of the same backup at once: each point is stored once.
import { expect, it, onTestFinished } from 'vitest';
import { createRestoring } from '../../src/backup/restoring.ts';
import { openPglite } from '../../src/db/pglite.ts';
import { statement } from '../engines.ts';

it('A restore that another of the same file overtakes stores no point twice', async () => {
  const db = await openPglite();
  onTestFinished(() => db.close());
  const head = {
    format: 'audio-metrics-backup' as const,
    version: 1,
    made_at: '2026-02-01T00:00:00.000000Z',
    raw_retention: null,
    columns: ['time', 'rms_db', 'frequency_hz', 'is_silence'],
    periods: [],
  };
  const overtaken = Promise.withResolvers<void>();
  async function* csv(wait?: Promise<void>) {
    yield '2026-02-01T00:00:00.000000Z,-1,440,false\n'.repeat(50_000);
    yield '2026-02-01T00:00:01.000000Z,-1,440,false\n';
    await wait;
    yield '2026-02-01T00:00:02.000000Z,-1,440,false\n';
  }
  const slow = await createRestoring(db, 'It', head);
  const slowly = expect(slow.store(csv(overtaken.promise), () => {})).rejects.toThrow(
    'It has points already',
  );
  const fast = await createRestoring(db, 'It', head);
  expect(await fast.store(csv(), () => {})).toBe(50_002);
  await fast.end();
  overtaken.resolve();
  await slowly;
  expect(await db.query(statement('select count(*)::int from audio_data'))).toEqual([{ count: 50_002 }]);
});
