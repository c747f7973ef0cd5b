// A webhook gets each message once per call, and no error shows its secrets.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openWebhook } from '../../src/notify/open-receiver.ts';
import { listen } from '../cluster.ts';
import { MESSAGE, NEVER, startReceiver } from './receiver-server.ts';

const open = (address: string, webhookSecret?: string) =>
  openWebhook(new URL(address), { webhookSecret, say: () => {} });

describe('a webhook', () => {
  it('gets the message as JSON, signed with the secret', async () => {
    const { host, taken } = await startReceiver();
    await open(`http://${host}/hook?key=1`, 'sécret').send(MESSAGE, NEVER);
    const [{ path = '', headers = {}, body = '' } = {}] = taken;
    expect(path).toBe('/hook?key=1');
    expect(JSON.parse(body)).toEqual(MESSAGE);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-signature']).toBe(
      `sha256=${createHmac('sha256', 'sécret').update(body).digest('hex')}`,
    );
    expect(headers).not.toHaveProperty('authorization');
  });

  it('gets no signature without a secret', async () => {
    const { host, taken } = await startReceiver();
    await open(`http://${host}/`).send(MESSAGE, NEVER);
    expect(taken[0]?.headers).not.toHaveProperty('x-signature');
  });

  it.each([
    ['me:pass', 'me:pass'],
    ['m%C3%A9%40home:p%3Aa%2Fss%25', 'mé@home:p:a/ss%'],
    ['100%:x', '100%:x'], // not an escape, so it stays as it is
    [':token', ':token'],
  ])('gets the credentials %s of its address as Basic authorization', async (written, sent) => {
    const { host, taken } = await startReceiver();
    await open(`http://${written}@${host}/hook`).send(MESSAGE, NEVER);
    expect(taken[0]?.headers.authorization).toBe(`Basic ${Buffer.from(sent).toString('base64')}`);
  });

  it('is named by its origin', () => {
    expect(open('https://me:pass@example.com:8443/services/T0/secret?key=1').name).toBe(
      'https://example.com:8443',
    );
  });

  it.each([
    [500, 'it answered 500'],
    [404, 'it answered 404'],
    [307, 'it answered 307, and redirects are not followed'],
    [302, 'it answered 302, and redirects are not followed'],
  ])('that answers %i has not accepted the message', async (status, reason) => {
    const { host, taken } = await startReceiver(status);
    await expect(open(`http://${host}/`).send(MESSAGE, NEVER)).rejects.toThrow(new Error(reason));
    expect(taken).toHaveLength(1); // one attempt, and no redirect is followed
  });

  it.each([200, 500])('that answers %i with an endless body is not read', async (status) => {
    const closed = Promise.withResolvers<void>();
    const { host } = await startReceiver((response) => {
      response.writeHead(status).write('x');
      response.on('close', () => closed.resolve());
    });
    const sent = open(`http://${host}/`).send(MESSAGE, NEVER);
    if (status === 200) await sent;
    else await expect(sent).rejects.toThrow(new Error('it answered 500'));
    await closed.promise;
  });

  it('that hangs times out after 30 s', async () => {
    const { timeout } = AbortSignal;
    const short = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 20));
    onTestFinished(() => short.mockRestore());
    const { host } = await startReceiver(() => {});
    const sent = open(`http://${host}/`).send(MESSAGE, NEVER);
    await expect(sent).rejects.toThrow(new Error('it did not answer within 30 s'));
    expect(short).toHaveBeenCalledExactlyOnceWith(30_000);
  });

  it('that hangs is left as soon as the signal aborts', async () => {
    const ending = new AbortController();
    const left = Promise.withResolvers<ServerResponse>();
    const { host } = await startReceiver((response) => {
      response.on('close', () => left.resolve(response));
      ending.abort();
    });
    const sent = open(`http://${host}/`).send(MESSAGE, ending.signal);
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
    await left.promise;
  });

  it.each(['127.0.0.1', 'localhost'])(
    'at %s that refuses connections fails with the system error',
    async (host) => {
      const server = createServer();
      const port = await listen(server);
      server.close();
      await once(server, 'close');
      const { message } = await failureOf(`http://me:pass@${host}:${port}/secret?key=1`);
      expect(message).toMatch(/ECONNREFUSED/);
      expect(message).not.toMatch(/me|pass|secret|key/);
    },
  );

  it('that hangs up fails with the system error, which shows no part of the address', async () => {
    const { host } = await startReceiver((response) => response.destroy());
    const { message } = await failureOf(`http://me:pass@${host}/secret?key=1`);
    expect(message).toMatch(/closed|reset|hang up/i);
    expect(message).not.toMatch(/me:|pass|secret|key/);
  });
});

const failureOf = (address: string): Promise<Error> =>
  open(address)
    .send(MESSAGE, NEVER)
    .then(
      () => new Error('it was taken'),
      (error: Error) => error,
    );
