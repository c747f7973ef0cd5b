// The process edge: arguments, environment, signals, exit codes. Nothing else reads process.env.
import { readFileSync } from 'node:fs';
import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { type Config, readConfig } from './config.ts';
import { openDatabase, startService } from './serve.ts';

const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

const commands: Record<string, (config: Config, log: pino.Logger, args: string[]) => Promise<void>> = {
  async serve(config, log) {
    const db = await openDatabase(config, log);
    const service = await startService(config, db, log, version).catch(async (error) => {
      await db.close();
      throw error;
    });
    closeOnSignal(config, log, service.close);
  },
};

const [name = 'serve', ...args] = process.argv.slice(2);
try {
  const command = commands[name];
  if (!command)
    throw new Error(`There is no command ${name}; the commands are ${Object.keys(commands).join(', ')}`);
  const config = readConfig(process.env);
  await command(config, pino({ level: config.LOG_LEVEL }), args);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** SIGTERM and SIGINT drain; what is not done by the deadline is cut off. */
function closeOnSignal(config: Config, log: pino.Logger, close: () => Promise<void>): void {
  closeWithGrace({ delay: config.SHUTDOWN_TIMEOUT_MS, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'An error that nothing handled ends the service');
    else log.info({ signal }, 'Closing: requests in flight are answered first');
    await close();
  });
}
