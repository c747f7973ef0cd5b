// Opens a file of sound that is not WAV, decoded by ffmpeg, or by sox where that is not installed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BadInput } from '../bad-input.ts';
import type { Reading, SoundFile } from './sound-file.ts';

/** What a program says of a file, and how it decodes it. */
interface Decoder {
  readonly rateHz: number;
  readonly channels: number;
  /** Undefined where the file does not say. */
  readonly seconds: number | undefined;
  /** Whether its sound must last as long; else that is estimated, or of a video. */
  readonly isExact: boolean;
  /** Such as `2026-01-31T23:59:59Z`, where it says when it began. */
  readonly began: string | undefined;
  /** Writes the samples, 32-bit floats of all channels, to its standard output. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Has it go on to the end of a WAV file whose header says less. */
  readonly whole: readonly string[];
}

const run = promisify(execFile);
const BYTES = 4;
/** How much less sound than is said is no fault: encoders round. */
const [SHORTER_BY_SECONDS, SHORTER_BY_PART] = [0.25, 0.01];
/** What ffmpeg says of a file that does not tell its length, such as AAC and some MP3. */
const ESTIMATED = /Estimating duration/;

const Tags = z.record(z.string(), z.string()).default({});
const Probed = z.object({
  streams: z.array(
    z.object({
      sample_rate: z.coerce.number().int().min(1).max(1_000_000),
      channels: z.int().min(1).max(64),
      duration: z.coerce.number().optional(),
      tags: Tags,
    }),
  ),
  format: z.object({ duration: z.coerce.number().optional(), tags: Tags }),
});

/** Both take a path for no option and no protocol. */
async function byFfmpeg(file: string): Promise<Decoder> {
  const entries = 'stream=sample_rate,channels,duration:stream_tags:format=duration:format_tags';
  const args = ['-v', 'warning', '-select_streams', 'a:0', '-show_entries', entries, '-of', 'json'];
  const { stdout, stderr } = await run('ffprobe', [...args, `file:${file}`]);
  const { streams, format } = Probed.parse(JSON.parse(stdout));
  const [stream] = streams;
  if (!stream) throw new Error('it holds no sound');
  return {
    rateHz: stream.sample_rate,
    channels: stream.channels,
    seconds: stream.duration ?? format.duration,
    isExact: stream.duration !== undefined && !ESTIMATED.test(stderr),
    began: dateOf({ ...format.tags, ...stream.tags }),
    command: ['ffmpeg', '-v', 'error', '-nostdin', '-i', `file:${file}`, '-map', '0:a:0', '-f', 'f32le', '-'],
    whole: ['-ignore_length', '1'],
  };
}

async function bySox(file: string): Promise<Decoder> {
  const [rateHz, channels, seconds] = await Promise.all(
    ['-r', '-c', '-D'].map(async (what) => Number((await run('soxi', [what, file])).stdout)),
  );
  if (!rateHz || !channels) throw new Error('it holds no sound');
  return {
    rateHz,
    channels,
    seconds: seconds || undefined,
    isExact: true,
    began: undefined,
    command: ['sox', '-V1', file, '-t', 'raw', '-e', 'floating-point', '-b', '32', '-L', '-'],
    whole: ['--ignore-length'],
  };
}

/** A tag that holds a day and a time. */
function dateOf(tags: Record<string, string>): string | undefined {
  const dates = Object.entries(tags).filter(([name]) => /^(date|creation_time|datetime)$/i.test(name));
  return dates.map(([, text]) => text).find((text) => /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text));
}

/**
 * @param why it is not read as WAV
 * @throws BadInput that says what to install, if no program here can decode it
 */
export async function openDecoded(path: string, why: string, reading: Reading): Promise<SoundFile> {
  const file = resolve(path);
  for (const probe of [byFfmpeg, bySox]) {
    try {
      return decodedBy(await probe(file), path, reading);
    } catch (error) {
      if (!isMissing(error)) throw new BadInput(`${why}, and ${faultOf(error)}`);
    }
  }
  throw new BadInput(`${why}. To measure it install ffmpeg (such as by apt install ffmpeg) or sox`);
}

function decodedBy(decoder: Decoder, path: string, { reach, say }: Reading): SoundFile {
  const { rateHz, channels, seconds, isExact, began, command, whole } = decoder;
  const bytesPerSecond = rateHz * channels * BYTES;
  const [program, ...rest] = command;
  const args = reach === 'whole' ? [...whole, ...rest] : rest;
  const ending = new AbortController();
  return {
    header: { rateHz, channels, format: 'f32le' },
    saysLength: seconds !== undefined,
    size: seconds === undefined ? undefined : Math.round(seconds * bytesPerSecond),
    began,
    async *sound() {
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], signal: ending.signal });
      let complaint = '';
      child.stderr.on('data', (text) => {
        complaint = `${complaint}${text}`.slice(-2000);
      });
      child.on('error', () => {}); // that it is ended
      const closed = once(child, 'close');
      closed.catch(() => {}); // whoever stops early does not wait for it
      let bytes = 0;
      for await (const piece of child.stdout) {
        bytes += piece.length;
        yield piece;
      }
      const [code] = await closed;
      const missing = isExact && seconds ? seconds - bytes / bytesPerSecond : 0;
      const isShort = missing > Math.max(SHORTER_BY_SECONDS, SHORTER_BY_PART * (seconds ?? 0));
      if (code === 0 && !isShort) return;
      const fault =
        code === 0
          ? `${path} is truncated or damaged: it says that it lasts ${seconds} s, and ${missing.toFixed(1)} s of that cannot be decoded`
          : `${path} cannot be decoded: ${lastLine(complaint) || program}`;
      if (reach !== 'partial') throw new BadInput(fault);
      say(`Warning: ${fault}`);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
    },
  };
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function faultOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? lastLine(String(error.stderr)) : '';
  return said === '' ? 'no sound is found in it' : `no sound is found in it: ${said}`;
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';
