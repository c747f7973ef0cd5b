// The metrics of the service, for Prometheus. Requests are counted as they end; everything else is read at a scrape.
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics } from 'prom-client';
import { MOST_AHEAD } from '../contract/station.ts';
import type { Inside } from '../http/request-accounting.ts';
import type { Findings } from './background-checks.ts';
import { createDatabaseProbe } from './database-probe.ts';
import { addRequestMetrics, createInstruments, type Instruments, setOrRemove } from './request-metrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** @param latest the findings of the last background checks; undefined while unknown */
export function createMetrics(version: string, latest: () => Findings | undefined = () => undefined) {
  const metrics = createInstruments();
  const { register, readings } = metrics;
  collectDefaultMetrics({ register });
  // gauges that prom-client names like counters; its gauges by type add up to the same numbers
  for (const what of ['handles', 'requests', 'resources'])
    register.removeSingleMetric(`nodejs_active_${what}_total`);
  metrics
    .gauge('build_info', 'Always 1; its labels name the running versions', 'version', 'node_version')
    .set({ version, node_version: process.version }, 1);
  addPolicyMetrics(metrics, latest);
  return {
    watch(app: FastifyInstance, inside: Inside): void {
      addRequestMetrics(metrics, app);
      addSharedAnswerMetrics(metrics, inside);
      addQueueMetrics(metrics, inside);
      addPoolMetrics(metrics, inside);
      addDatabaseMetrics(metrics, inside);
    },
    /** All metrics in Prometheus's text format. A database fault neither fails a scrape nor delays it for long. */
    async scrape(): Promise<string> {
      await Promise.all(readings.map((read) => read()));
      return register.metrics();
    },
    contentType: register.contentType,
  };
}

function addSharedAnswerMetrics(metrics: Instruments, { answers }: Inside): void {
  const coalesced = metrics.counter(
    'queries_coalesced_total',
    'Queries that shared the result of an identical running query',
  );
  const cancelled = metrics.counter(
    'queries_cancelled_total',
    'Queries cancelled because all their clients had disconnected',
  );
  metrics.readings.push(() => {
    coalesced.reset();
    coalesced.inc(answers.shared);
    cancelled.reset();
    cancelled.inc(answers.abandoned);
  });
}

function addQueueMetrics(metrics: Instruments, { admission }: Inside): void {
  const inUse = metrics.gauge('slots_in_use', 'Occupied slots, by class of request', 'class');
  const length = metrics.gauge('queue_length', 'Requests waiting for a slot', 'class');
  const refused = metrics.counter(
    'queue_refused_total',
    'Requests refused because the queue was full or the wait too long',
    'class',
  );
  const waits = metrics.histogram(
    'queue_wait_seconds',
    'How long requests waited before they got a slot',
    'class',
  );
  const { light, heavy, exports, streams, open, bytes } = admission;
  const queues = Object.entries({ light, heavy, exports, streams, open, bytes });
  for (const [name, queue] of queues) {
    waits.zero({ class: name });
    queue.onEntered = (waitedMs) => waits.observe({ class: name }, waitedMs / 1000);
  }
  metrics.readings.push(() => {
    refused.reset();
    for (const [name, queue] of queues) {
      inUse.set({ class: name }, queue.total('running'));
      length.set({ class: name }, queue.total('waiting'));
      refused.inc({ class: name }, queue.total('refused'));
    }
  });
}

function addPoolMetrics(metrics: Instruments, { db: { pools } }: Inside): void {
  if (!pools) return;
  const connections = metrics.gauge('pool_connections', 'Connections to the database', 'pool', 'state');
  const max = metrics.gauge('pool_max_connections', 'Maximum number of connections', 'pool');
  const waiting = metrics.gauge('pool_waiting', 'Queries waiting for a connection', 'pool');
  metrics.readings.push(() => {
    for (const { name: pool, ...now } of pools()) {
      connections.set({ pool, state: 'in_use' }, now.inUse);
      connections.set({ pool, state: 'idle' }, now.idle);
      max.set({ pool }, now.max);
      waiting.set({ pool }, now.waiting);
    }
  });
}

function addDatabaseMetrics(metrics: Instruments, inside: Inside): void {
  const probe = createDatabaseProbe(inside);
  const up = metrics.gauge(
    'database_up',
    '1 if the database answers and has the schema of this version, else 0',
  );
  const age = metrics.gauge(
    'newest_point_age_seconds',
    'Age of the newest point, ignoring points dated more than a minute ahead',
    'station',
  );
  const level = metrics.gauge('level_db', 'Level of the newest point, on its scale', 'station', 'unit');
  const inUse = metrics.gauge(
    'rollups_in_use',
    '1 if long statistics come from rollups, 0 if only from points',
  );
  const unused = metrics.gauge(
    'rollups_unused_info',
    '1 for the reason why rollups are not in use',
    'reason',
  );
  metrics.readings.push(async () => {
    const { up: isUp, levels = [], rollups } = await probe();
    up.set(isUp ? 1 : 0);
    for (const gauge of [age, level]) gauge.reset();
    for (const { station, unit, age_seconds, level_db } of levels) {
      age.set({ station }, age_seconds);
      if (level_db !== undefined) level.set({ station, unit }, level_db);
    }
    setOrRemove(inUse, rollups && (rollups === 'in use' ? 1 : 0));
    unused.reset();
    if (rollups && rollups !== 'in use') unused.set({ reason: rollups }, 1);
  });
}

function addPolicyMetrics(metrics: Instruments, latest: () => Findings | undefined): void {
  const labels = ['procedure', 'relation'];
  const waiting = metrics.gauge(
    'rollup_minutes_waiting',
    'Minutes that wait to be recounted for the rollups',
  );
  const age = metrics.gauge(
    'job_last_success_age_seconds',
    'Time since a TimescaleDB policy last succeeded',
    ...labels,
  );
  const failures = metrics.counter('job_failures_total', 'Failed runs of a TimescaleDB policy', ...labels);
  const future = metrics.gauge('future_points', `Points dated a minute or more ahead, up to ${MOST_AHEAD}`);
  metrics.readings.push(() => {
    const { jobs = [], ahead, refresh } = latest() ?? {};
    for (const metric of [age, failures]) metric.reset();
    for (const { procedure, relation, ...job } of jobs) {
      if (job.lastSuccess !== null)
        age.set({ procedure, relation }, (Date.now() - Date.parse(job.lastSuccess)) / 1000);
      failures.inc({ procedure, relation }, job.failures);
    }
    setOrRemove(waiting, refresh?.minutes_waiting ?? undefined);
    setOrRemove(future, ahead?.count);
  });
}
