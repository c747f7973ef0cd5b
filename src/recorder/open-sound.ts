// Opens a file of sound, WAV or what a program decodes.
import { stat } from 'node:fs/promises';
import { createByteReader } from './byte-reader.ts';
import { openDecoded } from './decoded-file.ts';
import { openInput } from './input-file.ts';
import type { SoundFile } from './sound-file.ts';
import { openWav } from './wav-file.ts';
import { isWav } from './wav-header.ts';

/** @throws BadInput when the file cannot be read, or holds no sound that can be measured */
export async function openSound(path: string): Promise<SoundFile> {
  return (await beginsAsWav(path)) ? openWav(path) : openDecoded(path);
}

/** What is too short for a header counts as WAV, which says so. */
async function beginsAsWav(path: string): Promise<boolean> {
  const status = await stat(path).catch(() => undefined);
  if (status && !status.isFile()) return true; // a pipe is opened and read once
  await using file = await openInput(path);
  const head = await createByteReader(file.stream).peek(12);
  return head.length < 12 || isWav(head);
}
