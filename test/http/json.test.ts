import { beforeAll, describe, expect, it } from 'vitest';
import { answerJson, joined } from '../../src/http/answer-text.ts';
import { Points } from '../../src/points/points.ts';
import type { Parts } from '../../src/points/serialise.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { POINT, pointRow, repeated } from '../rows.ts';

const ROW = pointRow({ ...POINT, rms_db: -1e-5, frequency_hz: null });
const TEXT = '{"time":"2026-01-01T00:00:00.000000Z","rms_db":-1e-05,"frequency_hz":null,"is_silence":false}';

const json = (value: { points: Points }, before?: string, after?: string) =>
  answerJson({ kind: 'points', value }, before, after);

describe('the JSON of an answer', () => {
  it('writes points as the database writes them, in their place', async () => {
    const answer = { before: 'ä"', points: new Points(ROW), after: null };
    expect(`${await json(answer)}`).toBe(`{"before":"ä\\"","points":[${TEXT}],"after":null}`);
    expect(`${await json({ points: new Points(ROW) })}`).toBe(`{"points":[${TEXT}]}`);
  });

  it('takes no text of an answer for the place of its points', async () => {
    const from = '"points":null';
    const answer = { from, points: new Points(ROW), deeper: { from } };
    expect(JSON.parse(`${await json(answer)}`)).toEqual(JSON.parse(JSON.stringify(answer)));
  });

  it('gives all who share an answer the same memory, and leaves the answer as it is', async () => {
    const answer = {
      points: new Points(repeated(ROW, 1000)),
      next_cursor: null,
    };
    const before = { ...answer };
    expect(await json(answer)).toBeInstanceOf(Buffer);
    expect(json(answer)).toBe(json(answer));
    expect(json(answer, '{"data":', '}')).toBe(json(answer, '{"data":', '}'));
    expect(`${json(answer, '{"data":', '}')}`).toBe(`{"data":${json(answer)}}`);
    expect(answer).toEqual(before);
  });

  it('writes many points in turns of the event loop, as it writes few', async () => {
    const time = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
    const rows = Array.from({ length: 50_000 }, (_, i) =>
      pointRow({ ...POINT, time: time(i).replace('Z', '000Z'), rms_db: -1 - (i % 49) }),
    );
    const answer = { before: 'ä', points: new Points(Buffer.concat(rows)), after: 1 };
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const parts = (await json(answer)) as Parts;
    clearInterval(counting);
    expect(turns).toBeGreaterThan(1);
    expect(parts.length).toBeGreaterThan(10);
    const text = `${Buffer.concat(parts)}`;
    expect(text === JSON.stringify(answer)).toBe(true); // a difference of megabytes is of no use
    expect(await json(answer)).toBe(await json(answer));
  });

  it('refuses an answer in which it could not tell the place of the points', async () => {
    const answer = { deeper: { points: null }, points: new Points(ROW) };
    expect(() => json(answer)).toThrow('An answer with points may have one field points');
  });

  it('writes an answer without points', async () => {
    const value = { to: null, next_cursor: '"points":null' };
    expect(answerJson({ kind: 'json', value })).toBe(JSON.stringify(value));
  });
});

it('joined puts texts and bytes behind one another, and copies none that are long', () => {
  expect(joined([])).toBe('');
  expect(joined(['a', 'b'])).toBe('ab');
  expect(`${joined(['ä', Buffer.from('ö'), ','])}`).toBe('äö,');
  const long = [Buffer.alloc(150_000, 'a'), Buffer.alloc(150_000, 'b')];
  expect(joined(['[', long, ']'])).toEqual([Buffer.from('['), ...long, Buffer.from(']')]);
  const texts = ['a'.repeat(150_000), 'b'.repeat(150_000)];
  expect(joined(texts)).toEqual(texts.map((text) => Buffer.from(text)));
});

describe('points', () => {
  const service = openForAll(() => startSmallService());
  beforeAll(async () => {
    await service.sql(
      `insert into audio_data (time, rms_db) values ('2026-02-01 00:00:01Z', -1e-5), ('2026-02-01Z', '-0')`,
    );
  });
  const point = { frequency_hz: null, is_silence: false };
  const points = [
    { ...point, time: '2026-02-01T00:00:01.000000Z', rms_db: -0.00001 },
    { ...point, time: '2026-02-01T00:00:00.000000Z', rms_db: 0 },
  ];

  it('are on REST what the database writes', async () => {
    const response = await fetch(`${service.url}/api/v1/events/loud?from=2026-02-01T00:00:00Z`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const rest = '"frequency_hz":null,"is_silence":false}';
    expect(await response.text()).toBe(
      `{"threshold":-10,"from":"2026-02-01T00:00:00.000000Z","to":null,"points":[` +
        `{"time":"2026-02-01T00:00:01.000000Z","rms_db":-1e-05,${rest},` +
        `{"time":"2026-02-01T00:00:00.000000Z","rms_db":0,${rest}],"next_cursor":null}`,
    );
  });

  it('are the same in a batch, where one question is asked twice and another is refused', async () => {
    const ask = () => service.client.audio.latest.query({ limit: 2 });
    const refused = service.client.audio.latest.query({ limit: 0 }).catch((error: Error) => error);
    expect(await Promise.all([ask(), ask()])).toEqual([{ points }, { points }]);
    expect(await refused).toBeInstanceOf(Error);
  });
});
