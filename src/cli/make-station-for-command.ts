// Creates a station for a command, even beside a running service. Opens and closes the embedded database.
import type { Database } from '../db/database.ts';
import { openFolder } from './command-database.ts';
import type { Environment } from './environment.ts';
import { type MadeStation, makeStation } from './make-station.ts';

/** @throws what {@link makeStation} throws */
export async function makeStationForCommand(
  environment: Pick<Environment, 'config' | 'log' | 'terminal'>,
  name: string,
  made: MadeStation = {},
): Promise<void> {
  let db: Database | undefined;
  const open = async () => (db = await openFolder(environment));
  await makeStation(environment, open, name, made).finally(() => db?.close());
}
