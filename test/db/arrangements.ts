// Databases that a test migrates itself, and their removal after it.
import { afterEach } from 'vitest';
import { type MigrateSettings, migrate } from '../../src/cli/migrate.ts';
import type { ServerInfo } from '../databases.ts';
import { connect, createDatabase } from '../engines.ts';

/** Call at the top of a test file: what is pushed to `closers` is closed after each test, last first. */
export function arrangements() {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** An empty database, a connection of its owner, and `migrate` with what it logs. */
  async function empty(server: ServerInfo) {
    const { url, name, drop } = await createDatabase(server);
    const owner = await connect(url);
    closers.push(drop, () => owner.end());
    const logged: string[] = [];
    const log = {
      info: (_: object, message: string) => logged.push(`info ${message}`),
      warn: (_: object, message: string) => logged.push(`warn ${message}`),
    };
    return {
      url,
      name,
      owner,
      logged,
      run: (settings: Partial<MigrateSettings> = {}) => migrate({ url, log, ...settings }),
      rows: async (text: string) => (await owner.query(text)).rows,
    };
  }

  return { closers, empty };
}
