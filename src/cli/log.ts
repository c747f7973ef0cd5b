// Opens the log. A fault of the output is never a fault of the service.
import { type Logger, pino } from 'pino';
import { z } from 'zod';

/** How much waits for an output that takes nothing, such as a full disk; lines beyond that are lost. */
const WAITING_BYTES = 1_048_576;

type Wording = (text: string) => string;

/** JSON lines on standard output, of the service. */
export function openLog(level: string, worded: Wording): Logger {
  const output = pino.destination({ dest: 1, sync: true, maxLength: WAITING_BYTES });
  output.on('error', () => {}); // there is nowhere to report it: pino tries the line again with the next one
  return pino({ level }, { write: (line) => output.write(worded(line)) });
}

const Line = z.object({
  level: z.number(),
  msg: z.string().default(''),
  reason: z.string().optional().catch(undefined),
  err: z.object({ message: z.string() }).optional().catch(undefined),
});

/** Sentences for the person who runs a command; `say` writes a line of them. */
export function openSentences(level: string, worded: Wording, say: (line: string) => void): Logger {
  const options = { level, base: null, timestamp: false };
  return pino(options, {
    write(line) {
      const { level: severity, msg, err, reason } = Line.parse(JSON.parse(line));
      const why = reason ?? err?.message;
      const kind = severity >= 50 ? 'Error: ' : severity >= 40 ? 'Warning: ' : '';
      say(`${kind}${worded(why === undefined ? msg : `${msg} (${why})`)}`);
    },
  });
}
