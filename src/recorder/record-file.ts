// Turns a WAV file into points: all of them are stored, or none.
import { csvRow } from '../contract/point.ts';
import { interrupted } from './bad-input.ts';
import type { RecorderIo } from './io.ts';
import { createMeter } from './meter.ts';
import { createTicker, percent, storedLine } from './progress.ts';
import type { RecordOptions } from './record-options.ts';
import { createDecoder } from './sample-format.ts';
import { openWav, type WavFile } from './wav-file.ts';

/**
 * Reads the file once, in constant memory. A header without a size means the rest of the file.
 *
 * @throws BadInput when the recording is at fault or the signal aborts; a header that promises more than the
 * file holds is refused before the database is opened
 */
export async function recordFile(options: RecordOptions, io: RecorderIo): Promise<void> {
  const { source, start } = options;
  if (start === undefined) throw new TypeError('A file needs a start');
  await using file = await openWav(source);
  if (file.header.dataBytes === undefined)
    io.progress(`${source} does not say how long its sound is: reading to the end of the file.`);

  const meter = createMeter({ ...options, start, rateHz: file.header.rateHz });
  const measured: Measured = { count: 0, first: undefined, last: undefined };
  const db = await io.openDatabase();
  try {
    await db.copyIn(rows({ file, meter, measured, io }));
  } finally {
    await db.close();
  }
  io.progress(storedLine(measured.count, measured.first, measured.last));
  if (measured.count === 0) io.progress('The recording is shorter than half an interval.');
}

interface Measured {
  count: number;
  first: string | undefined;
  last: string | undefined;
}

interface Rows {
  file: WavFile;
  meter: ReturnType<typeof createMeter>;
  measured: Measured;
  io: RecorderIo;
}

async function* rows({ file: { header, size, sound }, meter, measured, io }: Rows): AsyncGenerator<string> {
  const decode = createDecoder(header.format, header.channels);
  const tick = createTicker(io.progress);
  const toText = (points: ReturnType<typeof meter.push>) => {
    measured.count += points.length;
    measured.first ??= points[0]?.time;
    measured.last = points.at(-1)?.time ?? measured.last;
    return points.map((point) => `${csvRow(point)}\n`).join('');
  };
  let bytes = 0;
  for await (const piece of sound()) {
    if (io.signal.aborted) throw interrupted();
    bytes += piece.length;
    const text = toText(meter.push(decode(piece)));
    if (text) yield text;
    const share = size === undefined ? '' : `${percent(bytes, size)}, `;
    tick(() => `${share}${measured.count.toLocaleString('en')} points measured`);
  }
  const text = toText(meter.finish());
  if (text) yield text;
}
