// The log: JSON lines on standard output, which no fault of the output turns into a fault of the service.
import { type Logger, pino } from 'pino';

/** What waits for an output that takes nothing, such as a full disk; lines beyond it are lost. */
const WAITING_BYTES = 1_048_576;

export function openLog(level: string): Logger {
  const output = pino.destination({ dest: 1, sync: true, maxLength: WAITING_BYTES });
  output.on('error', () => {}); // there is nowhere to say it: a line that cannot be written is tried again with the next
  process.stderr.on('error', () => {});
  return pino({ level }, output);
}
