// Counts a repeated header: Node returns the first one, but a proxy in front of the service may read the second.
import type { IncomingMessage } from 'node:http';

/** @param name in lower case */
export function timesSent({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count++;
  return count;
}
