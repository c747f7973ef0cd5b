// An ntfy topic gets each message with its title, text, priority, tag and link.
import { describe, expect, it } from 'vitest';
import { EXAMPLE_MESSAGES } from '../../src/contract/messages.ts';
import { ntfyUrlProblem, openNtfy } from '../../src/notify/open-receiver.ts';
import { MESSAGE, NEVER, startReceiver } from './receiver-server.ts';

const open = (address: string, ntfyToken?: string) =>
  openNtfy(new URL(address), { ntfyToken, say: () => {} });

/** Sends a message to a server, and returns the request. */
async function sentTo(address: (host: string) => string, message = MESSAGE, token?: string) {
  const { host, taken } = await startReceiver();
  await open(address(host), token).send(message, NEVER);
  const [{ path = '', headers = {}, body = '' } = {}] = taken;
  return { path, headers, body: JSON.parse(body) };
}

describe('an ntfy topic', () => {
  it('gets a message, umlauts included, as JSON at the root of the server', async () => {
    const { path, headers, body } = await sentTo((host) => `ntfy://${host}/My-topic_1`);
    expect(path).toBe('/');
    expect(headers['content-type']).toBe('application/json');
    expect(headers).not.toHaveProperty('authorization');
    expect(body).toEqual({
      topic: 'My-topic_1',
      title: MESSAGE.title,
      message: MESSAGE.text,
      priority: 3,
      tags: ['sound'],
      click: MESSAGE.link,
      sequence_id: expect.stringMatching(/^[-_A-Za-z0-9]{1,64}$/),
    });
  });

  it('may be on a server below a path', async () => {
    const { path, body } = await sentTo((host) => `ntfy://${host}/a/b/topic`);
    expect(path).toBe('/a/b/');
    expect(body.topic).toBe('topic');
  });

  it('replaces a message with its repeat, and shows other messages beside it', async () => {
    const idOf = async (message: typeof MESSAGE) =>
      (await sentTo((host) => `ntfy://${host}/topic`, message)).body.sequence_id;
    const first = await idOf(MESSAGE);
    expect(await idOf({ ...MESSAGE, text: 'again' })).toBe(first);
    expect(await idOf({ ...MESSAGE, id: 'other' })).not.toBe(first);
    expect(await idOf({ ...MESSAGE, station: 'other' })).not.toBe(first);
  });

  it.each([
    ['start', 4, 'loud_sound'],
    ['end', 3, 'sound'],
    ['silent', 4, 'warning'],
    ['back', 3, 'white_check_mark'],
    ['night', 4, 'crescent_moon'],
  ] as const)('shows %s with priority %i and %s', async (kind, priority, tag) => {
    const { body } = await sentTo((host) => `ntfy://${host}/topic`, EXAMPLE_MESSAGES[kind]);
    expect(body).toMatchObject({ priority, tags: [tag] });
  });

  it.each([
    [undefined, 'Basic bWU6cMOkc3M='], // me:päss
    ['tk_1', 'Bearer tk_1'],
  ])('is authorized by the token %s, or else by the credentials of the address', async (token, expected) => {
    const { headers } = await sentTo((host) => `ntfy://me:p%C3%A4ss@${host}/topic`, MESSAGE, token);
    expect(headers.authorization).toBe(expected);
  });

  it('has not accepted a message that its server refuses', async () => {
    const { host } = await startReceiver(403);
    const sent = open(`ntfy://${host}/topic`).send(MESSAGE, NEVER);
    await expect(sent).rejects.toThrow(new Error('it answered 403'));
  });

  it('uses TLS for ntfys', async () => {
    const { host, taken } = await startReceiver();
    await expect(open(`ntfys://${host}/topic`).send(MESSAGE, NEVER)).rejects.toThrow(/SSL|TLS|EPROTO/i);
    expect(taken).toEqual([]);
  });

  it('has a name without topic and credentials', () => {
    expect(open('ntfys://me:pass@ntfy.sh:8443/base/topic', 'tk_1').name).toBe('ntfys://ntfy.sh:8443');
  });

  it.each([
    'ntfy://localhost:8080/topic',
    'ntfys://ntfy.sh/A-b_1',
    `ntfys://me:pass@[::1]/base/${'x'.repeat(64)}`,
  ])('may be %s', (address) => expect(ntfyUrlProblem(new URL(address))).toBeUndefined());

  it.each([
    'ntfys://ntfy.sh',
    'ntfys://ntfy.sh/',
    'ntfys://ntfy.sh/topic/',
    'ntfys://ntfy.sh/t%C3%B6pic',
    'ntfys://ntfy.sh/my topic',
    'ntfys://ntfy.sh/my.topic',
    `ntfys://ntfy.sh/${'x'.repeat(65)}`,
    'ntfys://ntfy.sh/topic?auth=x',
    'ntfys://ntfy.sh/topic#x',
    'ntfys:///topic',
    'ntfys:topic',
    'ntfys://a%zz/topic',
    'https://ntfy.sh/topic',
  ])('cannot be %s, and the error states what is allowed', (address) => {
    expect(ntfyUrlProblem(new URL(address))).toMatch(/ntfys:\/\/.*1 to 64 letters, digits, - and _/);
  });
});
