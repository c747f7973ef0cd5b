// Reports skipped lines of a stream: the first at once, further ones at most once a minute.
import { createOnceAMinute } from '../commands/once-a-minute.ts';

export function createSkippedLines(report: (line: string) => void) {
  let count = 0;
  let said = 0;
  const saying = createOnceAMinute();
  return {
    add(line: number, fault: string): void {
      count += 1;
      if (!saying.isDue()) return;
      const more = count - said;
      const what = more === 1 ? '' : `${more.toLocaleString('en')} lines, the last of them `;
      report(`Warning: skipped ${what}line ${line} of standard input: ${fault}`);
      said = count;
    },
    end(): void {
      if (count > 0)
        report(`Skipped ${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'} in all.`);
    },
  };
}
