// Checks that an instant is a time that a clock may have shown: from 1990 to a day ahead of now.
import { instantOf } from '../../contract/instant.ts';
import { type LineFault, textFault } from '../fault.ts';
import { DAY_LENGTH_MS } from './clock-fields.ts';

const FIRST = '1990';
/** @returns what is wrong with a canonical instant, such as `lies before 1990`; undefined if nothing is */
export type TimeCheck = (time: string) => string | undefined;

/** @param clock milliseconds since 1970 */
export function createTimeCheck(clock: () => number): TimeCheck {
  let latest = '';
  return (time) => {
    if (time < FIRST) return `lies before ${FIRST}`;
    if (time > latest) latest = instantOf(clock() + DAY_LENGTH_MS);
    return time > latest ? 'lies more than a day ahead of now' : undefined;
  };
}

/** @param text the time as written. @param advise advises formats that read the texts */
export const implausible = (
  time: string,
  wrong: string,
  text = time,
  advise: (texts: readonly string[]) => string = () => '',
): LineFault => ({
  ...textFault('time', text, `${isAs(text, time) ? '' : `is read as ${time}, which `}${wrong}`),
  kind: `the time ${wrong}`,
  advise: (texts) => `${advise(texts)}. --far stores it as it is, --skip-bad skips it`,
});

const isAs = (text: string, time: string) => text.replace(' ', 'T').startsWith(time.slice(0, 16));
