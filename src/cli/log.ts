// Opens the log: JSON lines on standard output. A fault of the output is never a fault of the service.
import { type Logger, pino } from 'pino';

/** How much waits for an output that takes nothing, such as a full disk; lines beyond that are lost. */
const WAITING_BYTES = 1_048_576;

export function openLog(level: string): Logger {
  const output = pino.destination({ dest: 1, sync: true, maxLength: WAITING_BYTES });
  output.on('error', () => {}); // there is nowhere to report it: pino tries the line again with the next one
  process.stderr.on('error', () => {});
  return pino({ level }, output);
}
