// Batches whose answers are sent one by one, as each is ready: tRPC's JSON Lines, for its httpBatchStreamLink.
//
// A line fills a place that one before it left open, or is one of many values there: `[place, kind, [[value], ...]]`,
// with the places that its value leaves open in turn, as `[key, kind of place, place]`.
import { ask } from '../api/ask.ts';
import { noteCall } from './request-accounting.ts';
import type { Service } from './service.ts';
import { failureOf, outcomeOf, type RpcCall } from './trpc-outcomes.ts';

/** Kinds of places: for one value, or for many one after another. */
const [ONE, MANY] = [0, 1];

/** Kinds of lines: the last of a place, one of many values, or an error in place of one. */
const [LAST, VALUE, ERROR] = [0, 1, 2];

const line = (place: number, kind: number, value: string, open = '') =>
  `[${place},${kind},[[${value}]${open}]]\n`;

const openAt = (key: string, kind: number, place: number) => `,["${key}",${kind},${place}]`;

/** Makes some calls at a time. Gives the lines of each as soon as they are ready, one at a time as they are taken. */
export async function* linesOf(
  calls: readonly RpcCall[],
  atATime: number,
  service: Service,
): AsyncGenerator<string> {
  const open = calls.map((_, place) => `"${place}":[[0],[null,${ONE},${place}]]`);
  yield `{${open.join()}}\n`;
  const sources = calls.map((call, place) =>
    call.operation?.kind === 'file'
      ? linesOfFile(call, place, calls.length + 2 * place, service)
      : lineOfOne(call, place, service),
  );
  yield* merged(sources, atATime);
}

async function* lineOfOne(call: RpcCall, place: number, service: Service): AsyncGenerator<string> {
  const { text } = await outcomeOf(call, service);
  yield line(place, LAST, text);
}

/** @param next the first of two places that no other call uses */
async function* linesOfFile(
  { name, operation, input, caller, request }: RpcCall,
  place: number,
  next: number,
  service: Service,
): AsyncGenerator<string> {
  const noted = noteCall(request, name);
  const many = next + 1;
  let isOpen = false;
  try {
    const answer = operation && (await ask(operation.readCall(input), caller, service));
    if (answer?.kind !== 'file') throw new Error(`${name} does not answer with a file`);
    yield line(place, LAST, '{"result":0}', openAt('result', ONE, next));
    yield line(next, LAST, '{"data":0}', openAt('data', MANY, many));
    isOpen = true;
    for await (const piece of answer.pieces) {
      if (noted) noted.points += piece.points;
      yield line(many, VALUE, JSON.stringify(piece.bytes.toString('latin1')));
    }
    yield line(many, LAST, '');
  } catch (error) {
    const { shape, status } = failureOf(error, request, name);
    if (noted) noted.status = status;
    const text = JSON.stringify(shape);
    yield isOpen ? `[${many},${ERROR},${text}]\n` : line(place, LAST, `{"error":${text}}`);
  }
}

/**
 * What the sources give, in the order in which it is ready, some sources at a time. Each is asked for more when what
 * it gave is taken. A race of them would keep all that was given until the slowest has answered.
 */
export async function* merged<T>(sources: readonly AsyncGenerator<T>[], atATime: number): AsyncGenerator<T> {
  const rest = [...sources];
  const open = new Set<AsyncGenerator<T>>();
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
  const begin = () => {
    const source = rest.shift();
    if (!source) return;
    open.add(source);
    ask(source);
  };
  try {
    for (let n = 0; n < atATime; n++) begin();
    while (open.size > 0) {
      const given = ready.shift();
      if (!given) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const { source, result } = await given;
      if (result.done) {
        open.delete(source);
        begin();
      } else {
        yield result.value;
        ask(source);
      }
    }
  } finally {
    // not awaited: some end only when they are answered
    for (const source of open) source.return(undefined).catch(() => {});
  }
}
