// The noise of the last hour, without any package: node fetch.js [ADDRESS]
const { API_KEY, AUDIO_METRICS_URL } = process.env;
const address = process.argv[2] ?? AUDIO_METRICS_URL ?? 'http://127.0.0.1:3000';
const url = address.replace(/\/$/, '');

try {
  const response = await fetch(`${url}/api/v1/stats/summary?period=1h`, {
    headers: API_KEY ? { authorization: `Bearer ${API_KEY}` } : {},
  });
  const answer = await response.json();
  // an error is application/problem+json: detail says what is wrong
  if (!response.ok) throw new Error(`${response.status} ${answer.detail}`);
  console.log(`${answer.point_count} points from ${answer.from} to ${answer.to}`);
  // null where no point has a level
  const [leq, l10, l90] = [answer.leq_db, answer.l10_db, answer.l90_db].map((db) => db ?? '–');
  console.log(`Leq ${leq} dB, L10 ${l10} dB, L90 ${l90} dB`);
} catch (error) {
  console.error(`${url} did not answer: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
