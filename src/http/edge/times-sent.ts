// How often a header was sent: of two, Node gives the first, and what stands in front of the service may read the other.
import type { IncomingMessage } from 'node:http';

/** @param name in lower case */
export function timesSent({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count++;
  return count;
}
