// The noise of the last hour, with the typed client: node report.ts [ADDRESS]
import { createClient, isServiceError } from 'audio-metrics';

const { API_KEY, AUDIO_METRICS_URL, LEVELS } = process.env;
const url = process.argv[2] ?? AUDIO_METRICS_URL ?? 'http://127.0.0.1:3000';
const client = createClient(url, { apiKey: API_KEY });
const levels = LEVELS === 'stored' ? 'stored' : 'absolute';

try {
  const { scale, ...summary } = await client.stats.summary.query({ period: '1h', levels });
  const db = (level: number | null) =>
    level === null ? 'no level' : `${level.toFixed(1)} ${scale.unit ?? 'dB'}`;
  console.log(`${summary.point_count} points from ${summary.from} to ${summary.to}`);
  console.log(`Leq ${db(summary.leq_db)}, L10 ${db(summary.l10_db)}, L90 ${db(summary.l90_db)}`);
  const threshold = scale.floor_db + 40; // 10 dB below the highest level that can be stored
  const { events } = await client.events.list.query({ threshold, from: 'now-1h', levels });
  for (const { start, duration_seconds, peak_db } of events)
    console.log(`${start}: ${duration_seconds} s above ${db(threshold)}, up to ${db(peak_db)}`);
} catch (error) {
  // an error from the service has a reason; any other error means that the service did not answer
  const { message } = error as Error;
  const isRefused = isServiceError(error);
  console.error(isRefused ? `${url} refused: ${message}` : `${url} cannot be reached: ${message}`);
  if (isRefused && error.data.errors?.some(({ parameter }) => parameter === 'levels'))
    console.error('Calibrate, or set LEVELS=stored');
  process.exitCode = 1;
}
