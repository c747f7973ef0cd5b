// Batches whose answers are sent one by one, as each is ready: tRPC's JSON Lines, for its httpBatchStreamLink.
//
// A line fills a place that one before it left open, or is one of many values there: `[place, kind, [[value], ...]]`,
// with the places that its value leaves open in turn, as `[key, kind of place, place]`.

import type { Outgoing } from '../load/slow-readers.ts';
import type { FilePiece } from '../points/points.ts';
import { call, declarations } from '../procedures/router.ts';
import type { CacheControl } from './cache-control.ts';
import { leavingOf } from './caller.ts';
import { noteCall } from './calls.ts';
import { type Json, joined } from './json.ts';
import { failed, failureOf, outcomeOf, type RpcCall } from './rpc-outcome.ts';

/** Kinds of places: for one value, or for many one after another. */
const [ONE, MANY] = [0, 1];

/** Kinds of lines: the last of a place, one of many values, or an error in place of one. */
const [LAST, VALUE, ERROR] = [0, 1, 2];

const line = (place: number, kind: number, value: Json, open = '') =>
  joined([`[${place},${kind},[[`, value, `]${open}]]\n`]);

const openAt = (key: string, kind: number, place: number) => `,["${key}",${kind},${place}]`;

/** Makes the calls all at once. Gives the lines of each as soon as they are ready, one at a time as they are taken. */
export async function* linesOf(
  calls: readonly RpcCall[],
  outgoing: Outgoing,
  cacheControl: CacheControl,
): AsyncGenerator<string | Buffer> {
  const open = calls.map((_, place) => `"${place}":[[0],[null,${ONE},${place}]]`);
  yield `{${open.join()}}\n`;
  const sources = calls.map((call, place) =>
    declarations.get(call.path)?.isStreamed
      ? linesOfMany(call, place, calls.length + 2 * place)
      : lineOfOne(call, place, outgoing, cacheControl),
  );
  for await (const text of merged(sources)) {
    if (Array.isArray(text)) yield* text;
    else yield text as string | Buffer;
  }
}

async function* lineOfOne(
  call: RpcCall,
  place: number,
  outgoing: Outgoing,
  cacheControl: CacheControl,
): AsyncGenerator<Json> {
  const { text } = await outcomeOf(call, cacheControl);
  const release = Array.isArray(text) && outgoing.hold(text);
  try {
    yield line(place, LAST, text);
  } finally {
    if (release) release();
  }
}

/** @param next the first of two places that no other call uses */
async function* linesOfMany(
  { path, input, ctx, request }: RpcCall,
  place: number,
  next: number,
): AsyncGenerator<Json> {
  const noted = noteCall(request, path);
  let pieces: AsyncIterable<FilePiece>;
  try {
    pieces = (await call(path, input, ctx, leavingOf(request))) as AsyncIterable<FilePiece>;
  } catch (error) {
    const { text, status } = failed(error, request, path);
    if (noted) noted.status = status;
    return yield line(place, LAST, text);
  }
  yield line(place, LAST, '{"result":0}', openAt('result', ONE, next));
  const many = next + 1;
  yield line(next, LAST, '{"data":0}', openAt('data', MANY, many));
  try {
    for await (const piece of pieces) {
      if (noted) noted.points += piece.points;
      yield line(many, VALUE, JSON.stringify(piece));
    }
    yield line(many, LAST, '');
  } catch (error) {
    const { shape, status } = failureOf(error, request, path);
    if (noted) noted.status = status;
    yield `[${many},${ERROR},${JSON.stringify(shape)}]\n`;
  }
}

/**
 * What all sources give, in the order in which it is ready. Each is asked for more when what it gave is taken. A race
 * of them would keep all that was given until the slowest has answered.
 */
export async function* merged<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const open = new Set(sources);
  const ready: Promise<{ source: AsyncGenerator<T>; result: IteratorResult<T> }>[] = [];
  let wake = () => {};
  const ask = (source: AsyncGenerator<T>) => {
    const given = source.next().then((result) => ({ source, result }));
    const isReady = () => {
      ready.push(given);
      wake();
    };
    given.then(isReady, isReady);
  };
  try {
    for (const source of sources) ask(source);
    while (open.size > 0) {
      const given = ready.shift();
      if (!given) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const { source, result } = await given;
      if (result.done) open.delete(source);
      else {
        yield result.value;
        ask(source);
      }
    }
  } finally {
    // not awaited: some end only when they are answered
    for (const source of open) source.return(undefined).catch(() => {});
  }
}
