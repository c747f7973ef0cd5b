// Clients of the last release's API keep working with this version.
import { describe, expect, it } from 'vitest';
import { type ApiDocument, incompatibleChanges } from './incompatible-changes.ts';
import { documentOf, keptDocument, keptVersions } from './kept-releases.ts';

/** The intended changes of the next release. CHANGELOG.md says how to adapt to each. */
const ON_PURPOSE = [
  'GET /audio/range: parameter limit: the bounds are narrower',
  'GET /audio/range: 200 text/csv; charset=utf-8; header=present went',
  'GET /audio/range: 200 application/x-ndjson went',
  'GET /audio/live: parameter lastEventId went',
  'GET /events/list: parameter hysteresis: the default was 0',
  'GET /events/list: parameter min_duration_seconds: the default was 0',
  'GET /events/list: 200 application/json: field events[]: field leq_db: the type was number, and is number or null',
  'GET /events/loud: parameter limit: the bounds are narrower',
  'GET /events/loud: 200 text/csv; charset=utf-8; header=present went',
  'GET /events/loud: 200 application/x-ndjson went',
];

const released = keptVersions().at(-1) ?? '';

/** The release's document, with one text replaced by another. */
function changed(text: string, by: string): ApiDocument {
  const document = JSON.stringify(keptDocument(released));
  expect(document).toContain(text);
  return JSON.parse(document.replace(text, by));
}

it(`The API of ${released} still works, except for intended changes`, async () => {
  expect(incompatibleChanges(keptDocument(released), await documentOf('test'))).toEqual(ON_PURPOSE);
});

describe('The comparison of documents', () => {
  const SUMMARY = 'GET /stats/summary';
  const POINT = 'GET /audio/latest: 200 application/json: field points[]';
  it.each([
    ['"/stats/summary":', '"/stats/summaries":', `${SUMMARY} went`],
    ['"/stats/summary":{"get"', '"/stats/summary":{"post"', `${SUMMARY} went`],
    ['"name":"period"', '"name":"length"', `${SUMMARY}: parameter period went`],
    ['"name":"period"', '"required":true,"name":"period"', `${SUMMARY}: parameter period became required`],
    ['"10s","1m",', '"1m",', `${SUMMARY}: parameter period: 10s went`],
    ['"maximum":10000', '"maximum":9999', 'GET /audio/latest: parameter limit: the bounds are narrower'],
    ['"default":100,', '"default":10,', 'GET /audio/latest: parameter limit: the default was 100'],
    ['"rms_db":{', '"level_db":{', `${POINT}: field rms_db went`],
    [
      '"is_silence":{"type":"boolean"',
      '"is_silence":{"type":"string"',
      `${POINT}: field is_silence: the type was boolean, and is string`,
    ],
  ])('names the incompatible change if %s becomes %s', (text, by, name) => {
    const after = changed(text, by);
    expect(incompatibleChanges(keptDocument(released), after)[0]).toBe(name);
    expect(incompatibleChanges(after, after)).toEqual([]);
  });
});
