// Opens a sound file that is not WAV. ffmpeg decodes it, or sox if ffmpeg is not installed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BadInput } from '../../commands/bad-input.ts';
import type { Reading, SoundFile } from './sound-file.ts';

/** The facts that a decoder finds in a file, and the command that decodes it. */
interface Decoder {
  readonly rateHz: number;
  readonly channels: number;
  /** Undefined if the file has no length. */
  readonly seconds: number | undefined;
  /** Whether the sound must last that long. If not, the length is an estimate, or that of a video. */
  readonly isExact: boolean;
  /** The start, such as `2026-01-31T23:59:59Z`, if the file has one. */
  readonly began: string | undefined;
  /** Writes the samples of all channels, as 32-bit floats, to standard output. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Arguments to decode a WAV file to its end, past the length in its header. */
  readonly whole: readonly string[];
}

const run = promisify(execFile);
const BYTES = 4;
/** How much shorter the sound may be than stated, because encoders round. */
const [SHORTER_BY_SECONDS, SHORTER_BY_PART] = [0.25, 0.01];
/** ffmpeg's warning about a file without a length, such as AAC and some MP3. */
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

/** The prefix `file:` keeps both commands from taking the path for an option or a protocol. */
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
 * @param why the reason why the file is not read as WAV
 * @throws BadInput with what to install, if no installed program can decode it
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
  throw new BadInput(`${why}. To measure it, install ffmpeg (for example with apt install ffmpeg) or sox`);
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
      child.on('error', () => {}); // ending it raises one
      const closed = once(child, 'close');
      closed.catch(() => {}); // a reader that stops early does not wait for it
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
          ? `${path} is truncated or damaged: ${missing.toFixed(1)} s of its ${seconds} s cannot be decoded`
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
  return said === '' ? 'it has no sound' : `it has no sound: ${said}`;
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';
