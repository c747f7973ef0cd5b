import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EXAMPLE_MESSAGES, type Message } from '../../src/contract/messages.ts';
import { openOutbox } from '../../src/notify/outbox.ts';
import { temporaryFolder } from '../process.ts';

const message = (id: string): Message => ({
  kind: 'silent',
  id,
  station: 'garden',
  left_out: 0,
  title: '',
  text: '',
  link: 'http://x/',
  since: '2026-01-01T00:00:00.000000Z',
});

function open(folder: string, receivers: readonly string[], now?: () => number) {
  const outbox = openOutbox(folder, receivers, now);
  let isOpen = true;
  const close = () => {
    if (isOpen) outbox.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...outbox, close };
}

it('gives each receiver every message once, in order, across restarts', () => {
  const folder = temporaryFolder();
  const first = open(folder, ['a', 'b']);
  first.keep('garden', { from: '1' }, [message('1'), message('2')]);
  first.done('a', first.nextFor('a')?.seq ?? 0);
  first.close();
  const second = open(folder, ['a', 'b']);
  expect(second.progressOf('garden')).toEqual({ from: '1' });
  expect(second.progressOf('street')).toBeUndefined();
  expect(['a', 'b'].map((key) => second.nextFor(key)?.message.id)).toEqual(['2', '1']);
  for (const key of ['a', 'b'])
    for (let next = second.nextFor(key); next; next = second.nextFor(key)) second.done(key, next.seq);
  second.keep('garden', { from: '2' }, [message('3')]);
  expect(second.nextFor('a')?.message.id).toBe('3');
});

it('gives a new receiver only later messages, and forgets a receiver that is missing', () => {
  const folder = temporaryFolder();
  const first = open(folder, ['a']);
  first.keep('garden', {}, [message('1')]);
  first.close();
  const second = open(folder, ['b']);
  expect(second.nextFor('b')).toBeUndefined();
  second.keep('garden', {}, [message('2')]);
  expect(second.nextFor('b')?.message.id).toBe('2');
  second.close();
  expect(open(folder, ['a']).nextFor('a')).toBeUndefined();
});

it('gives messages of an older version as they were stored', () => {
  const outbox = open(temporaryFolder(), ['a']);
  const { causes: _, ...night } = EXAMPLE_MESSAGES.night as Extract<Message, { kind: 'night' }>;
  const old = { ...night, worst: { from: night.from, to: night.to, energy_percent: 78.8, band_hz: 315 } };
  outbox.keep('garden', {}, [old as unknown as Message]);
  expect(outbox.nextFor('a')?.message).toEqual(old);
});

it('keeps a message for a day', () => {
  const outbox = open(temporaryFolder(), ['a'], () => 1_000);
  outbox.keep('garden', {}, [message('1')]);
  expect(outbox.nextFor('a')?.until).toBe(86_401_000);
});

it('refuses a folder that another process uses, and a file that is not an outbox', () => {
  const folder = temporaryFolder();
  open(folder, ['a']);
  expect(() => openOutbox(folder, ['a'])).toThrow(/in use by another process that notifies: set DATA_DIR/);
  const other = temporaryFolder();
  writeFileSync(join(other, 'outbox.sqlite'), 'x'.repeat(2000));
  expect(() => openOutbox(other, ['a'])).toThrow(/cannot be used: move it away/);
});
