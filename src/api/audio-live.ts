// audio.live: every new point as it comes, as a stream of events.
import { LiveEvent, LiveInput } from '../contract/live.ts';
import { readInstant } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

export const live = operation({
  name: 'audio.live',
  kind: 'stream',
  summary: 'Every new point, as it comes',
  description: `Server-sent events: as \`curl -N\` prints them

    retry: 1500
    : connected

    data: {"restart_from":null,"points":[{"time":"2026-01-01T00:00:00.123456Z","rms_db":-7.22,"frequency_hz":440,"is_silence":false}],"stale":false}
    id: 2026-01-01T00:00:00.123456Z~100~00f1e2d3c4b5a697

Every event holds points, as a LiveEvent, and has an id. A comment comes every 15 s. A stream ends after half an hour or so, when the service stops, or if its reader is too slow. An EventSource comes back by itself, and goes on where it was, on this server or another.`,
  input: LiveInput,
  output: LiveEvent,
  // a replay may be long
  isHeavy: ({ from, lastEventId }, { live }) =>
    lastEventId === undefined ? from !== 'now' : !live.canResume(lastEventId),
  async answer({ live, now, signal }, { from, lastEventId }) {
    const start = { from: readInstant('from', from, now), lastEventId, now };
    return { kind: 'stream', stream: await live.open(start, signal) };
  },
});
