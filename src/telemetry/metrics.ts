// The metrics of the service, for Prometheus. Requests are counted as they end; all else is read at a scrape.
import { collectDefaultMetrics, Registry } from 'prom-client';
import { MOST_AHEAD } from '../contract/quality.ts';
import type { Inside, Watcher } from '../http/request-accounting.ts';
import type { Seen } from './background-checks.ts';
import { createLook } from './database-probe.ts';
import { counter, gauge, histogram, type Room, set } from './instruments.ts';
import { watchRequests } from './request-metrics.ts';

/** Gauges that prom-client names like counters. Those by type add up to the same. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

export interface Metrics {
  /** Counts the requests of a service from now on. */
  readonly watch: Watcher;
  /** All metrics, in Prometheus's text format. It neither fails nor waits long where the database does. */
  scrape(): Promise<string>;
  readonly contentType: string;
}

/** @param latest what was seen last; undefined before, and while it cannot be seen */
export function createMetrics(version: string, latest: () => Seen | undefined = () => undefined): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
  const room: Room = { register, readings: [] };
  gauge(room, 'build_info', 'Always 1; its labels say what runs', 'version', 'node_version').set(
    { version, node_version: process.version },
    1,
  );
  readPolicies(room, latest);
  return {
    watch(app, inside) {
      watchRequests(room, app);
      readQuestions(room, inside);
      watchQueues(room, inside);
      readPools(room, inside);
      readDatabase(room, inside);
    },
    async scrape() {
      await Promise.all(room.readings.map((read) => read()));
      return register.metrics();
    },
    contentType: register.contentType,
  };
}

function readQuestions(room: Room, { answers }: Inside): void {
  const coalesced = counter(room, 'questions_coalesced_total', "Questions given the answer to another's");
  const cancelled = counter(
    room,
    'questions_cancelled_total',
    'Questions cancelled when all who asked had left',
  );
  room.readings.push(() => {
    coalesced.reset();
    coalesced.inc(answers.shared);
    cancelled.reset();
    cancelled.inc(answers.abandoned);
  });
}

function watchQueues(room: Room, { admission }: Inside): void {
  const inUse = gauge(
    room,
    'places_in_use',
    'Places that are taken, by the class of what takes them',
    'class',
  );
  const length = gauge(room, 'queue_length', 'Calls that wait for a place', 'class');
  const refused = counter(
    room,
    'queue_refused_total',
    'Calls that found too many waiting or waited too long',
    'class',
  );
  const waits = histogram(
    room,
    'queue_wait_seconds',
    'How long calls that were given a place had waited for it',
    'class',
  );
  const { light, heavy, exports, streams } = admission;
  const queues = Object.entries({ light, heavy, exports, streams });
  for (const [name, queue] of queues) {
    waits.zero({ class: name });
    queue.onEntered = (waitedMs) => waits.observe({ class: name }, waitedMs / 1000);
  }
  room.readings.push(() => {
    refused.reset();
    for (const [name, queue] of queues) {
      inUse.set({ class: name }, queue.running);
      length.set({ class: name }, queue.waiting);
      refused.inc({ class: name }, queue.refused);
    }
  });
}

function readPools(room: Room, { db: { pools } }: Inside): void {
  if (!pools) return;
  const connections = gauge(room, 'pool_connections', 'Connections to the database', 'pool', 'state');
  const max = gauge(room, 'pool_max_connections', 'Connections that there may be', 'pool');
  const waiting = gauge(room, 'pool_waiting', 'Questions that wait for a connection', 'pool');
  room.readings.push(() => {
    for (const { name: pool, ...now } of pools()) {
      connections.set({ pool, state: 'in_use' }, now.inUse);
      connections.set({ pool, state: 'idle' }, now.idle);
      max.set({ pool }, now.max);
      waiting.set({ pool }, now.waiting);
    }
  });
}

function readDatabase(room: Room, inside: Inside): void {
  const look = createLook(inside);
  const up = gauge(
    room,
    'database_up',
    '1 where the database answers and has the schema of this version, else 0',
  );
  const age = gauge(room, 'newest_point_age_seconds', 'Age of the newest point that is not dated ahead');
  const inUse = gauge(
    room,
    'rollups_in_use',
    '1 where long statistics come from rollups, 0 where from points alone',
  );
  const unused = gauge(room, 'rollups_unused_info', '1 for the reason why rollups are not in use', 'reason');
  room.readings.push(async () => {
    const { up: isUp, newestAgeSeconds, rollups } = await look();
    up.set(isUp ? 1 : 0);
    set(age, newestAgeSeconds);
    set(inUse, rollups && (rollups === 'in use' ? 1 : 0));
    unused.reset();
    if (rollups && rollups !== 'in use') unused.set({ reason: rollups }, 1);
  });
}

function readPolicies(room: Room, latest: () => Seen | undefined): void {
  const labels = ['procedure', 'relation'];
  const lag = gauge(
    room,
    'rollup_lag_seconds',
    'Age of the newest time that is stored in a rollup',
    'rollup',
  );
  const age = gauge(
    room,
    'job_last_success_age_seconds',
    "Time since a policy's job last succeeded",
    ...labels,
  );
  const failures = counter(room, 'job_failures_total', "Runs of a policy's job that failed", ...labels);
  const future = gauge(room, 'future_points', `Points dated a minute or more ahead, up to ${MOST_AHEAD}`);
  room.readings.push(() => {
    const { jobs = [], ahead } = latest() ?? {};
    for (const metric of [lag, age, failures]) metric.reset();
    for (const { procedure, relation, ...job } of jobs) {
      if (job.lagSeconds !== null) lag.set({ rollup: relation }, job.lagSeconds);
      if (job.lastSuccess !== null)
        age.set({ procedure, relation }, (Date.now() - Date.parse(job.lastSuccess)) / 1000);
      failures.inc({ procedure, relation }, job.failures);
    }
    set(future, ahead?.count);
  });
}
