// The noise of the last hour, without any package: node fetch.js [ADDRESS]
const { API_KEY, AUDIO_METRICS_URL, LEVELS = 'absolute' } = process.env;
const address = process.argv[2] ?? AUDIO_METRICS_URL ?? 'http://127.0.0.1:3000';
const url = address.replace(/\/$/, '');

try {
  const response = await fetch(`${url}/api/v1/stats/summary?period=1h&levels=${LEVELS}`, {
    headers: API_KEY ? { authorization: `Bearer ${API_KEY}` } : {},
  });
  const answer = await response.json();
  if (response.ok) print(answer);
  else fail(`${url} refused: ${reasonOf(answer)}`);
} catch (error) {
  fail(`${url} did not answer: ${error.cause?.message ?? error.message}`);
}

function print({ point_count, from, to, scale, ...levels }) {
  console.log(`${point_count} points from ${from} to ${to}`);
  // null if no point has a level
  const [leq, l10, l90] = [levels.leq_db, levels.l10_db, levels.l90_db].map((db) => db?.toFixed(1) ?? '–');
  console.log(`Leq ${leq}, L10 ${l10}, L90 ${l90} in ${scale.unit ?? 'dB'}`);
}

/** An error is application/problem+json: `errors` lists the wrong parameters. */
function reasonOf({ detail, errors = [] }) {
  const hint = errors.some(({ parameter }) => parameter === 'levels')
    ? ['calibrate, or set LEVELS=stored']
    : [];
  return [detail, ...errors.map((each) => `${each.parameter} ${each.detail}`), ...hint].join('; ');
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
