// An Apprise API gets each message with its title, text, link and importance.
import { expect, it } from 'vitest';
import { EXAMPLE_MESSAGES } from '../../src/contract/messages.ts';
import { appriseUrlProblem, openApprise } from '../../src/notify/open-receiver.ts';
import { MESSAGE, NEVER, startReceiver } from './receiver-server.ts';

it.each([
  ['start', 'warning'],
  ['end', 'info'],
  ['silent', 'failure'],
  ['back', 'success'],
  ['night', 'warning'],
] as const)('an Apprise API gets %s as %s', async (kind, type) => {
  const { host, taken } = await startReceiver();
  const message = EXAMPLE_MESSAGES[kind];
  const receiver = openApprise(new URL(`apprise+http://me:pass@${host}/apprise/notify/noise`));
  expect(receiver.name).toBe(`apprise+http://${host}`);
  await receiver.send(message, NEVER);
  const [{ path = '', headers = {}, body = '' } = {}] = taken;
  expect([path, headers.authorization]).toEqual([
    '/apprise/notify/noise',
    `Basic ${Buffer.from('me:pass').toString('base64')}`,
  ]);
  const { title, text, link } = message;
  expect(JSON.parse(body)).toEqual({ title, body: `${text}\n${link}`, type });
});

it.each([
  [424, 'it answered 424'],
  [204, 'it answered 204: it has no configuration of this key'],
])('an Apprise API that answers %i has not accepted the message', async (status, reason) => {
  const { host } = await startReceiver(status);
  const sent = openApprise(new URL(`apprise+http://${host}/notify/noise`)).send(MESSAGE, NEVER);
  await expect(sent).rejects.toThrow(new Error(reason));
});

it.each([
  ['apprise+https://host/notify/noise', true],
  ['apprise+https://host/notify/noise/', true],
  ['apprise+https://host/', false],
  ['apprise+https://host/notify/', false],
  ['apprise+https://host/notify/noise?tag=phone', false],
])('whether %s names a configuration: %s', (url, isValid) => {
  expect(appriseUrlProblem(new URL(url)) === undefined).toBe(isValid);
});
