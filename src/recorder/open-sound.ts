// Opens a file of sound, WAV or what a program decodes.
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
  await using file = await openInput(path);
  if (file.size === undefined) return true; // a pipe is read once
  const head = await createByteReader(file.stream).peek(12);
  return head.length < 12 || isWav(head);
}
