import { expect, it } from 'vitest';
import { z } from 'zod';
import { columnsOf, tableText } from '../../src/http/send.ts';

const Row = z.object({ name: z.string(), level_db: z.number().nullable(), is_open: z.boolean() });
const Output = z.object({ from: z.string(), rows: z.array(Row) });
const columns = columnsOf(Output, 'rows');

it('writes rows below their field names, quoted if necessary (RFC 4180), empty for null', () => {
  const rows = [
    { name: 'plain', level_db: -1.5, is_open: true },
    { name: 'a, "b"\nc', level_db: null, is_open: false },
  ];
  expect(tableText(columns, rows)).toBe('name,level_db,is_open\nplain,-1.5,true\n"a, ""b""\nc",,false\n');
});

it('writes only the names if there are no rows', () => {
  expect(tableText(columns, [])).toBe('name,level_db,is_open\n');
});

it('refuses an answer that has no rows', () => {
  expect(() => columnsOf(Output, 'from')).toThrow('from is not an array of objects');
});
