// A recording program for tests of the service, without a microphone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The options for its output. */
export const RATE = ['--rate', '8000'];

/** Plays a tone in real time. Writes the ids of the shell and of the program to `pids`. @returns the command */
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
