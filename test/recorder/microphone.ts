// A program that the service runs instead of a microphone's.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Its output, as options. */
export const RATE = ['--rate', '8000'];

/** Plays a tone in real time from a process of its own, and writes the ids of both to `pids`. @returns the command */
export function microphone(folder: string): string {
  const script = join(folder, 'microphone.js');
  writeFileSync(
    script,
    `require('fs').writeFileSync(${JSON.stringify(join(folder, 'pids'))}, process.ppid + ' ' + process.pid);
    const begun = performance.now();
    console.error('Recording raw data');
    const sound = Buffer.from(Int16Array.from({ length: 400 }, (_, n) => 9000 * Math.sin(n)).buffer);
    let played = 0;
    setInterval(() => {
      const due = Math.floor((performance.now() - begun) / 50);
      for (; played < due; played++) process.stdout.write(sound);
    }, 10);`,
  );
  return `${process.execPath} ${script}; exit $?`;
}
