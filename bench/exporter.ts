// A thread that reads exports one after the other until it is told to stop, and counts their rows.
import { parentPort, workerData } from 'node:worker_threads';
import { linesIn, openConnection } from './connection.ts';

const { url, path, rows } = workerData as { url: string; path: string; rows: number };
const connection = openConnection(url);
let stopped = false;
let done = 0;
parentPort?.once('message', () => {
  stopped = true;
  connection.close();
});
while (!stopped) {
  let lines = -1; // the header is none
  try {
    await connection.get(path, (piece) => {
      lines += linesIn(piece);
    });
  } catch (error) {
    if (stopped) break;
    throw error;
  }
  if (lines !== rows) throw new Error(`An export of ${rows} points has ${lines} rows`);
  done++;
}
parentPort?.postMessage(done);
