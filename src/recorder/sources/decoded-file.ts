// Opens a sound file that is not WAV. ffmpeg decodes it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BadInput } from '../../commands/input-files.ts';
import { codeOf } from '../../database/faults.ts';
import type { SoundFile, SoundReading } from './sound-file.ts';

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

/** The first sound stream. Its length is exact if the sound must last that long; or an estimate, or a video's. */
async function probe(url: string) {
  const entries = 'stream=sample_rate,channels,duration:stream_tags:format=duration:format_tags';
  const args = ['-v', 'warning', '-select_streams', 'a:0', '-show_entries', entries, '-of', 'json', url];
  const { stdout, stderr } = await run('ffprobe', args);
  const { streams, format } = Probed.parse(JSON.parse(stdout));
  const [stream] = streams;
  if (!stream) throw new Error('it holds no sound');
  return {
    rateHz: stream.sample_rate,
    channels: stream.channels,
    seconds: stream.duration ?? format.duration,
    isExact: stream.duration !== undefined && !ESTIMATED.test(stderr),
    began: dateOf({ ...format.tags, ...stream.tags }),
  };
}

/** A tag that holds a day and a time. */
function dateOf(tags: Record<string, string>): string | undefined {
  const dates = Object.entries(tags).filter(([name]) => /^(date|creation_time|datetime)$/i.test(name));
  return dates.map(([, text]) => text).find((text) => /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text));
}

/** @param why the file is not read as WAV. @throws BadInput with what to install, if ffmpeg is not installed */
export async function openDecoded(
  path: string,
  why: string,
  { reach, say }: SoundReading,
): Promise<SoundFile> {
  const url = `file:${resolve(path)}`; // so that the path is not taken for an option or a protocol
  const { rateHz, channels, seconds, isExact, began } = await probe(url).catch((error) => {
    throw new BadInput(
      codeOf(error) === 'ENOENT'
        ? `${why}. To measure it, install ffmpeg (for example with apt install ffmpeg)`
        : `${why}, and ${faultOf(error)}`,
    );
  });
  const bytesPerSecond = rateHz * channels * BYTES;
  const whole = reach === 'whole' ? ['-ignore_length', '1'] : []; // past the length in the header
  const args = ['-v', 'error', '-nostdin', ...whole, '-i', url, '-map', '0:a:0', '-f', 'f32le', '-'];
  const ending = new AbortController();
  return {
    header: { rateHz, channels, format: 'f32le' },
    saysLength: seconds !== undefined,
    size: seconds === undefined ? undefined : Math.round(seconds * bytesPerSecond),
    began,
    async *sound() {
      const child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'pipe'], signal: ending.signal });
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
          : `${path} cannot be decoded: ${lastLine(complaint) || 'ffmpeg'}`;
      if (reach !== 'partial') throw new BadInput(fault);
      say(`Warning: ${fault}`);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
    },
  };
}

function faultOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? lastLine(String(error.stderr)) : '';
  return said === '' ? 'it has no sound' : `it has no sound: ${said}`;
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';
