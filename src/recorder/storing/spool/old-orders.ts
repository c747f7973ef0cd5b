// Runs old orders: requests that version 0.1 wrote to a spool for the process that held the database.
import { z } from 'zod';
import { Instant } from '../../../contract/instant-schema.ts';
import { completed, KeptSettings } from '../../../contract/periods.ts';
import type { Transaction } from '../../../db/database.ts';
import type { RecordedStretch } from '../periods/note-periods.ts';
import { HEAD } from '../periods/recorded-as.ts';
import { PointsFound, storeStep } from '../point-store.ts';
import { BadSegment, type Segment, type SegmentRead, type Spool } from './spool.ts';

const Order = z.discriminatedUnion('mode', [
  /** Stores points into an empty interval. `as` has the settings of a recording. */
  z.object({
    mode: z.literal('new'),
    as: z.object({ settings: KeptSettings.transform(completed), isNewPeriod: z.boolean() }).optional(),
  }),
  /** Replaces existing points, or only counts them. The interval is inclusive at both ends. */
  z.object({ mode: z.enum(['replace', 'count']), first: Instant, last: Instant }),
]);

/**
 * @returns how its points were recorded, if known
 * @throws BadSegment if it is not an order, or its interval must be empty and is not
 */
export async function carryOut(
  transaction: Transaction,
  segment: Segment,
  spool: Spool,
): Promise<RecordedStretch | undefined> {
  const read: SegmentRead = { count: 0 };
  for await (const _rows of spool.rows(segment, read)); // finds the times of its points
  const order = readOrder(read.head ?? '');
  if (!order) throw new BadSegment(segment, 'its first line is not an order of version 0.1');
  if (order.mode === 'count') return undefined; // the process that waited for the result is gone
  const { first = '', last = '' } = order.mode === 'replace' ? order : read;
  if (first === '') return undefined;
  try {
    await storeStep(transaction, spool.rows(segment), [{ first, last }], order.mode);
  } catch (error) {
    throw error instanceof PointsFound ? new BadSegment(segment, error.message) : error;
  }
  return order.mode === 'new' && order.as ? { as: order.as, first, last } : undefined;
}

function readOrder(line: string) {
  try {
    return Order.safeParse(JSON.parse(line.slice(HEAD.length))).data;
  } catch {
    return undefined;
  }
}
