// Opens a sound file, with a decoder unless it is WAV.
import { stat } from 'node:fs/promises';
import { openInput } from '../../commands/input-file.ts';
import { createByteReader } from './byte-reader.ts';
import { openDecoded } from './decoded-file.ts';
import type { SoundFile, SoundReading } from './sound-file.ts';
import { openWav } from './wav-file.ts';
import { isWav, NotPcm } from './wav-header.ts';

/** @throws BadInput if the file cannot be read, or holds no sound that can be measured */
export async function openSound(path: string, reading: SoundReading): Promise<SoundFile> {
  const status = await stat(path).catch(() => undefined);
  if (status && !status.isFile()) return openWav(path, reading); // a pipe can be opened and read only once
  if (!(await beginsAsWav(path))) return openDecoded(path, `${path} is not a WAV file`, reading);
  try {
    return await openWav(path, reading);
  } catch (error) {
    if (!(error instanceof NotPcm)) throw error;
    const file = await openDecoded(path, error.message, reading);
    reading.say(`${error.message}.`);
    return file;
  }
}

/** A file too short for a header counts as WAV, because the WAV reader reports such files. */
async function beginsAsWav(path: string): Promise<boolean> {
  await using file = await openInput(path);
  const head = await createByteReader(file.stream).peek(12);
  return head.length < 12 || isWav(head);
}
