// The `notify` command: tests receivers of messages.
import { Command } from 'commander';
import { messageOf } from '../commands/progress.ts';
import type { Message } from '../contract/messages.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { assertHttp } from './notify-options.ts';
import { openReceiver, problemOf, RECEIVERS } from './open-receiver.ts';
import type { ReceiverIo } from './receiver.ts';

export interface NotifyTestIo extends ReceiverIo {
  /** URLs of receivers, if the command line has none. */
  readonly notify?: readonly string[] | undefined;
  /** The current time, canonical. */
  now(): string;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 30_000;

export function notifyCommand(open: () => NotifyTestIo): Command {
  const test = new Command('test')
    .description('Sends one message, and reports whether the receiver accepted it.')
    .argument('[url...]', `receivers (default: those in NOTIFY). Each ${RECEIVERS}`)
    .option('--link <URL>', 'the link in the message', 'http://127.0.0.1:3000')
    .action(async (given: string[], { link }: { link: string }) => {
      assertHttp('--link', link, test);
      const io = open();
      const urls = given.length > 0 ? given : (io.notify ?? []);
      if (urls.length === 0) test.error('url: is missing, and NOTIFY has none');
      for (const url of urls) {
        const problem = problemOf(url);
        if (problem !== undefined) test.error(`url: ${problem}`);
      }
      const faults: string[] = [];
      for (const url of urls)
        await sendTo(new URL(url), link, io).catch(({ message }: Error) => faults.push(message));
      if (faults.length > 0) throw new Error(faults.join('\n'));
    });
  return new Command('notify').description('Tests the receivers of messages.').addCommand(test);
}

/** @throws Error with the reason if the receiver does not accept the message */
async function sendTo(url: URL, link: string, io: NotifyTestIo): Promise<void> {
  if (/^mqtts?:$/.test(url.protocol)) url.pathname = '/audio-metrics-test'; // a running notifier keeps its prefix
  const receiver = await openReceiver(url, { ...io, isTest: true });
  try {
    await receiver.send(
      messageAt(io.now(), link),
      AbortSignal.any([io.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    );
  } catch (cause) {
    throw new Error(`${receiver.name} has not accepted the message\n  because: ${messageOf(cause)}`, {
      cause,
    });
  } finally {
    await receiver.close?.();
  }
  io.say(`${receiver.name} has accepted the message`);
}

const messageAt = (now: string, link: string): Message => ({
  kind: 'back',
  id: `test~${now}`,
  station: DEFAULT_STATION,
  left_out: 0,
  title: 'Test message',
  text: 'Audio Metrics can send you messages',
  link,
  since: now,
});
