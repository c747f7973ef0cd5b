// `notify test` sends one message to each receiver, and says what became of it.
import { connectAsync } from 'mqtt';
import { describe, expect, it, onTestFinished } from 'vitest';
import { strictly } from '../../src/cli/command-line.ts';
import { readConfig } from '../../src/cli/config.ts';
import { pageAddress } from '../../src/cli/page-address.ts';
import { Message } from '../../src/contract/messages.ts';
import { notifyCommand } from '../../src/notify/notify-command.ts';
import { needs } from '../needs.ts';
import { mosquitto, startMosquitto } from './mosquitto.ts';
import { NEVER, startReceiver } from './receiver-server.ts';

function test(args: readonly string[], notify?: readonly string[]) {
  const said: string[] = [];
  const now = () => '2026-01-02T03:04:05.000000Z';
  const command = strictly(
    notifyCommand(() => ({ notify, now, signal: NEVER, say: (line) => void said.push(line) })),
  );
  return { said, run: command.parseAsync(['test', ...args], { from: 'user' }) };
}

it('sends a valid message to each receiver of the command line, or else of NOTIFY', async () => {
  const [first, second] = [await startReceiver(), await startReceiver(204)];
  const urls = [`http://${first.host}/secret`, `ntfy://${second.host}/topic`];
  for (const [args, notify] of [
    [urls, []],
    [[], urls],
  ] as const) {
    const { said, run } = test([...args, '--link', 'https://audio.example.com'], notify);
    await run;
    expect(said).toEqual([
      `http://${first.host} has accepted the message`,
      `ntfy://${second.host} has accepted the message`,
    ]);
  }
  expect([first.taken.length, second.taken.length]).toEqual([2, 2]);
  const message = Message.parse(JSON.parse(first.taken[0]?.body ?? ''));
  expect(message).toMatchObject({ kind: 'back', title: 'Test message', link: 'https://audio.example.com' });
});

it('fails with the reason, and without the secrets of the URL', async () => {
  const { host } = await startReceiver(403);
  await expect(test([`http://${host}/secret`]).run).rejects.toThrow(
    new Error(`http://${host} has not accepted the message\n  because: it answered 403`),
  );
  await expect(test(['smtp://me:pass@host']).run).rejects.toThrow(/^Url: must be a webhook/);
  await expect(test([]).run).rejects.toThrow('NOTIFY has none');
});

it('tests the other receivers too if one fails, and then names each that failed', async () => {
  const hosts = [await startReceiver(403), await startReceiver(), await startReceiver(500)];
  const [refusing, accepting, broken] = hosts.map(({ host }) => `http://${host}`);
  const { said, run } = test(hosts.map(({ host }) => `http://${host}/secret`));
  await expect(run).rejects.toThrow(
    new Error(
      `${refusing} has not accepted the message\n  because: it answered 403\n` +
        `${broken} has not accepted the message\n  because: it answered 500`,
    ),
  );
  expect(said).toEqual([`${accepting} has accepted the message`]);
});

describe('an MQTT broker', needs('mosquitto', mosquitto), () => {
  it('retains nothing of a test', async () => {
    const { host } = await startMosquitto();
    await test([`mqtt://${host}`]).run;
    const client = await connectAsync(`mqtt://${host}`);
    onTestFinished(() => client.endAsync(true));
    const seen: string[] = [];
    client.on('message', (topic) => seen.push(topic));
    await client.subscribeAsync('audio-metrics-test/#');
    await client.publishAsync('audio-metrics-test/last', '');
    await expect.poll(() => seen).toEqual(['audio-metrics-test/last']);
  });
});

it.each([
  [{}, 'http://127.0.0.1:3000'],
  [{ ALLOWED_HOSTS: 'audio.local' }, 'http://audio.local:3000'],
  [{ ALLOWED_HOSTS: 'audio.example.com', TRUST_PROXY: '127.0.0.1' }, 'https://audio.example.com'],
])('links in messages of a service with %j lead to %s', (variables, page) => {
  expect(pageAddress(readConfig(variables), 'http://127.0.0.1:3000')).toBe(page);
});

it('links in messages of a service on all addresses lead to one of the network', () => {
  const page = new URL(pageAddress(readConfig({ HOST: '0.0.0.0' }), 'http://127.0.0.1:3000'));
  expect([page.port, page.hostname]).toEqual(['3000', expect.stringMatching(/^\d+(\.\d+){3}$/)]);
});
