// A worker thread of the demo: posts the rows of the past 33 hours, newest first, while the database opens and stores.
import { parentPort, workerData } from 'node:worker_threads';
import { csvRow } from '../../contract/point.ts';
import { createDemoMeter, INTERVAL_MS } from './demo-meter.ts';

const PIECE = 1000;

const { from, to }: { from: number; to: number } = workerData;
const pointAt = createDemoMeter();
for (let next = to - INTERVAL_MS; next >= from; ) {
  const rows: string[] = [];
  for (; rows.length < PIECE && next >= from; next -= INTERVAL_MS) rows.push(csvRow(pointAt(next)));
  parentPort?.postMessage(rows);
}
