// A worker thread that reads one export after another until stopped, then reports how many rows it read.
import { parentPort, workerData } from 'node:worker_threads';
import { linesIn, openConnection } from './connection.ts';

const { url, path, rows } = workerData as { url: string; path: string; rows: number };
const connection = openConnection(url);
let stopped = false;
let read = 0;
parentPort?.once('message', () => {
  stopped = true;
  connection.close();
});
while (!stopped) {
  let lines = -1; // the header does not count
  try {
    await connection.get(path, (piece) => {
      const more = linesIn(piece);
      lines += more;
      read += more;
    });
  } catch (error) {
    if (stopped) break;
    throw error;
  }
  if (lines !== rows) throw new Error(`An export of ${rows} points has ${lines} rows`);
}
parentPort?.postMessage(read);
