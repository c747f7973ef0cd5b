// An order: a segment that says what becomes of the points that are there already, and the answer to it.
import { z } from 'zod';
import { Instant } from '../../contract/instant-schema.ts';
import { PeriodSettings } from '../../contract/periods.ts';
import { HEAD } from '../periods/recorded-as.ts';
import type { PointCount } from '../progress.ts';

export const Order = z.discriminatedUnion('mode', [
  /** Stores where no points are; those of a recording with how it was recorded. */
  z.object({
    mode: z.literal('new'),
    as: z.object({ settings: PeriodSettings, isNewPeriod: z.boolean() }).optional(),
  }),
  /** Stores in place of those that are there, or only finds these; both ends are in the interval. */
  z.object({ mode: z.enum(['replace', 'count']), first: Instant, last: Instant }),
]);
export type Order = z.infer<typeof Order>;

const Answer = z.object({ count: z.int().min(0), first: Instant.optional(), last: Instant.optional() });

export const writeOrder = (order: Order) => `${HEAD}${JSON.stringify(order)}\n`;
export const readOrder = (line: string) => read(Order, line.slice(HEAD.length));
export const writeAnswer = (found: PointCount) => `${JSON.stringify(found)}\n`;
export const readAnswer = (text: string): PointCount | undefined => read(Answer, text);

/** @returns undefined where it is not what was written */
function read<Read>(schema: z.ZodType<Read>, text: string): Read | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
