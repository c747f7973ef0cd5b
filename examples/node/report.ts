// The noise of the last hour, by the typed client: node report.ts [ADDRESS]
import { createClient, isServiceError } from 'audio-metrics';

const url = process.argv[2] ?? process.env.AUDIO_METRICS_URL ?? 'http://127.0.0.1:3000';
const client = createClient(url, { apiKey: process.env.API_KEY });

/** A level is stored up to 0; the reference of its scale added makes it such as dB(A). Null where scales differ. */
const db = (
  level: number | null,
  { reference_db, unit }: { reference_db: number | null; unit: string | null },
) => (level === null || reference_db === null ? 'no level' : `${(level + reference_db).toFixed(1)} ${unit}`);

try {
  // calls of one moment share one request
  const [summary, { events, scale }] = await Promise.all([
    client.stats.summary.query({ period: '1h' }),
    client.events.list.query({ threshold: -10, from: 'now-1h' }),
  ]);
  console.log(`${summary.point_count} points from ${summary.from} to ${summary.to}`);
  const [leq, l10, l90] = [summary.leq_db, summary.l10_db, summary.l90_db].map((level) =>
    db(level, summary.scale),
  );
  console.log(`Leq ${leq}, L10 ${l10}, L90 ${l90}`);
  for (const { start, duration_seconds, peak_db } of events)
    console.log(`${start}: ${duration_seconds} s above ${db(-10, scale)}, up to ${db(peak_db, scale)}`);
} catch (error) {
  // an error from the service says what is wrong; any other says that there was no answer
  const { message } = error as Error;
  console.error(
    isServiceError(error) ? `${url} refused: ${message}` : `${url} cannot be reached: ${message}`,
  );
  process.exitCode = 1;
}
