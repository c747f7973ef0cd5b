// Delivers the messages of the outbox to a receiver in order. Retries each until it is accepted or a day old.
import { messageOf } from '../commands/progress.ts';
import { startLoop } from '../loop.ts';
import { GIVEN_UP_MS, type Outbox } from './outbox.ts';
import type { Receiver } from './receiver.ts';

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 60_000];

/** @param say shows the operator a line when deliveries fail, recover, or drop a message */
export function startDelivery(receiver: Receiver, key: string, outbox: Outbox, say: (line: string) => void) {
  let hasFailed = false;
  /** The last accepted message, in case the outbox failed to mark it. */
  let taken = 0;
  return startLoop(
    async (signal) => {
      const next = outbox.nextFor(key);
      if (!next) return LONGEST_WAIT_MS; // a new message wakes the loop
      const { seq, message, until } = next;
      if (Date.now() < until) {
        const ending = AbortSignal.timeout(Math.min(until - Date.now(), GIVEN_UP_MS));
        if (taken !== seq) await receiver.send(message, AbortSignal.any([signal, ending]));
        taken = seq;
        if (hasFailed) say(`${receiver.name} accepts messages again`);
        hasFailed = false;
      } else
        say(
          `${receiver.name} has not accepted a message for a day, so the message is dropped: ${message.text}`,
        );
      outbox.done(key, seq);
      return 0;
    },
    (error, failures) => {
      if (!hasFailed)
        say(`A message for ${receiver.name} waits: ${messageOf(error)}. Retries continue for up to a day`);
      hasFailed = true;
      return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
    },
  );
}
