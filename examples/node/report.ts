// The noise of the last hour, by the typed client: node report.ts [ADDRESS]
import { createClient, isServiceError } from 'audio-metrics';

const url = process.argv[2] ?? process.env.AUDIO_METRICS_URL ?? 'http://127.0.0.1:3000';
const client = createClient(url, { apiKey: process.env.API_KEY });

const db = (level: number | null) => (level === null ? 'no level' : `${level.toFixed(1)} dB`);

try {
  // calls of one moment share one request
  const [summary, { events }] = await Promise.all([
    client.stats.summary.query({ period: '1h' }),
    client.events.list.query({ threshold: -10, from: 'now-1h' }),
  ]);
  console.log(`${summary.point_count} points from ${summary.from} to ${summary.to}`);
  console.log(`Leq ${db(summary.leq_db)}, L10 ${db(summary.l10_db)}, L90 ${db(summary.l90_db)}`);
  for (const { start, duration_seconds, peak_db } of events)
    console.log(`${start}: ${duration_seconds} s above -10 dB, up to ${db(peak_db)}`);
} catch (error) {
  // an error from the service says what is wrong; any other says that there was no answer
  const { message } = error as Error;
  console.error(
    isServiceError(error) ? `${url} refused: ${message}` : `${url} cannot be reached: ${message}`,
  );
  process.exitCode = 1;
}
