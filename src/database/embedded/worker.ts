// The worker of the embedded database: owns PGlite, which blocks its thread while a statement runs. Imports little,
// because it starts again after every statement that exceeds its time limit.
import { openAsBlob } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, type Results, types } from '@electric-sql/pglite';
import { compilePostgres, SYNCING, SyncedFiles, unoptimised, watchFaults } from '../internals/pglite.ts';
import { readBigint } from '../read-bigint.ts';
import { type Answer, DONE, type EngineOptions, faultReply, type Reply, type Request } from './messages.ts';

let broken: { fault: unknown } | undefined;
const pglite = open(workerData);

await reply(async () => {
  await pglite;
  return DONE;
});
parentPort?.on('message', (request: Request) => reply(async () => answer(await pglite, request)));

async function open({ settings, files, isNew, template }: EngineOptions): Promise<PGlite> {
  const said: string[] = [];
  let isOpen = false;
  const options = {
    onStderr: (line: string) => isOpen || said.push(line) > 0,
    ...(!isNew && { pgliteWasmModule: await compilePostgres() }),
    ...(files !== undefined && { fs: new SyncedFiles(files), startParams: SYNCING }),
    ...(template !== undefined && { loadDataDir: await openAsBlob(template) }),
    parsers: {
      [types.INT8]: readBigint,
      [types.TIMESTAMPTZ]: (text: string) => text,
      [types.TIMESTAMP]: (text: string) => text,
    },
  };
  const create = () => PGlite.create(options);
  const opened = await (isNew ? unoptimised(create) : create()).catch((cause) => {
    throw new Error(reasonIn(said) ?? cause.message, { cause });
  });
  isOpen = true;
  watchFaults(opened, (fault) => {
    broken = { fault };
  });
  await opened.exec(settings);
  return opened;
}

/** @returns PostgreSQL's own message about its end; undefined if it printed none */
function reasonIn(said: readonly string[]): string | undefined {
  const reasons = said.flatMap((line) => /(?:FATAL|PANIC|DETAIL): +(.*?)\.?$/.exec(line)?.[1] ?? []);
  return reasons.length > 0 ? reasons.join('. ') : undefined;
}

async function answer(pglite: PGlite, request: Request): Promise<Answer<unknown>> {
  switch (request.kind) {
    case 'query':
      return answerOf(await pglite.query(request.text, [...request.values]));
    case 'script':
      return answerOf((await pglite.exec(request.text)).at(-1));
    case 'copy':
      return answerOf(await pglite.query(request.text, [], { blob: new Blob([request.csv]) }));
    case 'begin':
    case 'commit':
    case 'rollback':
      return answerOf((await pglite.exec(request.kind)).at(-1));
    case 'close':
      await pglite.close();
      return DONE;
  }
}

function answerOf(results: Results<unknown> | undefined): Answer<unknown> {
  return { ...DONE, rows: results?.rows ?? [], affectedRows: results?.affectedRows ?? 0 };
}

async function reply(work: () => Promise<Answer<unknown>>): Promise<void> {
  const message: Reply<unknown> = await work().catch(faultReply);
  if (broken) throw broken.fault; // ends the worker
  parentPort?.postMessage(message);
}
