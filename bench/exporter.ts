// A thread that reads exports one after the other until it is told to stop, and counts their rows.
import { get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, rows } = workerData as { url: string; rows: number };
let stopped = false;
let done = 0;
parentPort?.once('message', () => {
  stopped = true;
});
while (!stopped) {
  const read = await countRows();
  if (stopped) break;
  if (read !== rows) throw new Error(`An export of ${rows} points has ${read} rows`);
  done++;
}
parentPort?.postMessage(done);

/** The rows of one export without its header; fewer when it was stopped. */
function countRows(): Promise<number> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error) => (stopped ? resolve(-1) : reject(error));
    const request = get(url, { agent: false }, (answer) => {
      let lines = 0;
      answer.on('data', (piece: Buffer) => {
        if (stopped) request.destroy();
        for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++;
      });
      answer.on('error', settle);
      answer.on('end', () => resolve(lines - 1));
    }).on('error', settle);
  });
}
