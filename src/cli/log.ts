// Opens the log, and words its messages as the user types commands. The service keeps running if the output fails.
import { type Logger, pino } from 'pino';
import { z } from 'zod';

/** How much the log buffers while its output blocks, for example on a full disk. Further lines are lost. */
const WAITING_BYTES = 1_048_576;

type Wording = (text: string) => string;

/** The service's log: JSON lines on standard output. */
export function openLog(level: string, worded: Wording): Logger {
  const output = pino.destination({ dest: 1, sync: true, maxLength: WAITING_BYTES });
  output.on('error', () => {}); // pino writes the line again with the next one
  return pino({ level }, { write: (line) => output.write(worded(line)) });
}

const Line = z.object({
  level: z.number(),
  msg: z.string().default(''),
  reason: z.string().optional().catch(undefined),
  err: z.object({ message: z.string() }).optional().catch(undefined),
});

/** The log of other commands: sentences for the user, one line each. */
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

const SPOKEN =
  /npm (?:run (demo|migrate|key|record|import|delete|backup|restore|station|exclude|watch|<command>)|(start))( --)?/g;

/** @param command such as `docker compose run --rm migrate`. @returns writes it for `npm run` and `npm start` */
export function wordedFor(command: string | undefined): (text: string) => string {
  const words = command?.replace(/["\\\p{Cc}]/gu, '').trim(); // the log is JSON
  if (!words) return (text) => text;
  return (text) => text.replace(SPOKEN, (_, name?: string) => `${words} ${name ?? 'serve'}`);
}
