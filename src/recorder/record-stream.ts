// Turns sound from standard input into points while it arrives.
import { BadInput, saidIfSlow } from '../commands/input-files.ts';
import { closedOnFault } from '../database/faults.ts';
import type { MeasuredPoint } from '../sound/measured-point.ts';
import { createLiveStatus } from './live-status.ts';
import { createMeasuring } from './measuring.ts';
import type { RecordOptions } from './record-options.ts';
import type { RecorderIo } from './recorder-io.ts';
import { type ByteReader, createByteReader } from './sources/byte-reader.ts';
import { bytesUntilAborted } from './sources/bytes-until-aborted.ts';
import { soundOf } from './sources/wav-file.ts';
import { isWav, readWavHeader } from './sources/wav-header.ts';
import { keepPoints } from './storing/keep-points.ts';
import { recordedAs } from './storing/periods/recorded-as.ts';

interface Further {
  readonly level: RecordOptions;
  readonly at: RecorderIo;
}

/**
 * Measures until the input ends or the signal aborts. Each point is on disk about a quarter of a second after its window
 * ends, so measured points survive even if the sound then stops or turns out bad.
 *
 * @throws BadInput if the sound is at fault
 */
export async function recordStream(options: RecordOptions, io: RecorderIo, also: readonly Further[]) {
  try {
    await recordSound(options, io, also);
  } finally {
    io.stdin.destroy(); // an open pipe would keep the process alive
  }
}

async function recordSound(options: RecordOptions, io: RecorderIo, also: readonly Further[]): Promise<void> {
  const reader = createByteReader(bytesUntilAborted(io.stdin, io.signal));
  const first = await saidIfSlow('standard input', reader.peek(1), io.progress);
  const isEmpty = first.length === 0;
  if (isEmpty && io.signal.aborted) return;
  const { sound, ...format } = await readSound(options, reader, io);
  const { start } = options;
  const { watch, begin } = createMeasuring(options, format, io.progress);
  const meter = begin(start ?? io.clock);
  const live = start === undefined ? { ...options, mostMs: options.spoolMaxMs } : undefined;
  const keep = (level: RecordOptions, at: RecorderIo) =>
    keepPoints(
      {
        ...options,
        adds: options.mode === 'add',
        live,
        as: recordedAs(level, start === undefined ? 'machine' : 'start'),
      },
      at,
    );
  const keeping = await keep(options, io);
  const all = [keeping];
  for (const { level, at } of also) all.push(await closedOnFault(keep(level, at), ...all));
  const add = async (levels: MeasuredPoint[][]) => {
    for (const [index, points] of levels.entries()) await all[index]?.add(points);
    return levels[0] ?? [];
  };
  const { settings } = recordedAs(options);
  const show = createLiveStatus(io, { settings, waiting: keeping.waiting, clipped: watch.clipped });
  let broken: { error: unknown } | undefined;
  try {
    for await (const piece of sound) await show(await add(meter.push(piece)));
    await add(meter.finish());
    watch.end();
  } catch (error) {
    broken = { error };
    await add(meter.finish()); // keeps the good sound before the fault
  }
  await all.reduce((closed, each) => closed.finally(() => each.close()), Promise.resolve());
  const clipped = watch.clipped();
  if (clipped) io.progress(`Clipped in ${clipped}.`);
  if (broken) throw broken.error;
}

async function readSound({ raw, reach }: RecordOptions, reader: ByteReader, io: RecorderIo) {
  const hasHeader = isWav(await reader.peek(12));
  if (!raw && !hasHeader)
    throw new BadInput('Standard input is not WAV; raw sound needs --rate and --format');
  if (!raw) {
    const name = 'Standard input';
    const header = await readWavHeader(reader, name);
    return {
      ...header,
      sound: soundOf(reader, header, { name, reach, say: io.progress, signal: io.signal }),
    };
  }
  if (hasHeader)
    throw new BadInput(
      'Standard input is WAV, which has the rate in its header: leave out --rate and --format',
    );
  return { ...raw, sound: reader.pieces(Number.POSITIVE_INFINITY) };
}
