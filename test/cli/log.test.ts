import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSentences, wordedFor } from '../../src/cli/log.ts';
import { needs } from '../needs.ts';
import { NO_DATABASE, start } from '../process.ts';

const IN_A_CONTAINER = { AUDIO_METRICS_COMMAND: 'docker compose run --rm migrate' };

it(
  'A command ends as usual if nobody can read its output',
  needs('/dev/full', existsSync('/dev/full')),
  async () => {
    const full = openSync('/dev/full', 'w');
    expect(await start(['migrate'], { DATABASE_URL: 'none' }, '.', full).ended).toBe(2);
    closeSync(full);
  },
);

describe('The commands in messages', () => {
  it('are npm commands, or the commands that AUDIO_METRICS_COMMAND asks for', () => {
    const text =
      'Run `npm run migrate`, `npm run record -- calibrate` or `npm start -- --record`, not `npm run page`';
    expect(wordedFor(undefined)(text)).toBe(text);
    expect(wordedFor(' ')(text)).toBe(text);
    expect(wordedFor('podman run it')(text)).toBe(
      'Run `podman run it migrate`, `podman run it record calibrate` or `podman run it serve --record`, not `npm run page`',
    );
  });

  it("leave the service's log as JSON", async () => {
    // in its own process, to see everything on its streams
    const service = start(['serve'], { ...IN_A_CONTAINER, DATABASE_URL: NO_DATABASE });
    await service.address();
    for (const line of service.output().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
    await service.stop();
  });
});

describe('The lines that a command prints for people', () => {
  it('are sentences, with the reason for a fault', () => {
    const written: string[] = [];
    const log = openSentences('info', wordedFor('it'), (line) => written.push(line));
    log.info({ left: 7 }, 'Seven are left');
    log.warn({}, 'Run `npm run migrate`');
    log.warn({ reason: 'it is away' }, 'An idle connection was lost');
    log.error({ err: new Error('it broke') }, 'The last points could not be written');
    log.debug({}, 'unseen');
    expect(written).toEqual([
      'Seven are left',
      'Warning: Run `it migrate`',
      'Warning: An idle connection was lost (it is away)',
      'Error: The last points could not be written (it broke)',
    ]);
  });
});
