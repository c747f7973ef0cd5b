// Converts the levels of answers to the requested scale, and removes energy means of maxima.
import type { TRPCMiddlewareFunction } from '@trpc/server';
import type { Exclusions } from '../contract/exclusions.ts';
import type { OpenInterval } from '../contract/instant.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { SHORTER_INTERVAL } from '../contract/parameters.ts';
import type { LevelScale, Levels } from '../contract/periods.ts';
import { absoluteOf, addLevels, offsetOf, withLevels } from '../contract/shown-scale.ts';
import { badParameter } from '../errors.ts';
import type { Store } from '../rollups/store.ts';
import type { Context } from './context.ts';
import { leaveOut } from './interval-and-cursor.ts';
import { endOfFirstScale, scaleOf, scaleOfAnswer } from './periods.ts';
import type { Meta } from './trpc.ts';

type ScaleContext = Pick<Context, 'db' | 'site'>;

/** An answer's scale, and the offset to it from stored levels. @throws BAD_REQUEST without a calibration or one scale */
export async function absoluteScale(ctx: ScaleContext, interval: OpenInterval, stored?: LevelScale) {
  const scale = stored ?? (await scaleOf(ctx.db, interval));
  const offset_db = offsetOf(scale, ctx.site.calibrationOffsetDb);
  if (offset_db === null) throw badParameter('levels', await reasonOf(ctx, scale, interval));
  return { offset_db, scale: absoluteOf(scale, offset_db) };
}

async function reasonOf({ db }: ScaleContext, { unit }: LevelScale, interval: OpenInterval): Promise<string> {
  if (unit !== null)
    return 'must be `stored`: these levels are not calibrated. Record with a reference, or set CALIBRATION_OFFSET_DB (for another station: `station set --calibration-offset-db`)';
  const end = await endOfFirstScale(db, interval);
  return `must be \`stored\`, or ${SHORTER_INTERVAL}, because it has levels of different scales. The first scale ends at ${end}`;
}

/** Like `absoluteScale`, but for the requested levels. For stored levels, it reads nothing and returns no scale. */
export async function shownScale(
  ctx: ScaleContext,
  levels: Levels,
  interval: OpenInterval,
  stored?: LevelScale,
): Promise<{ offset_db: number; scale?: LevelScale }> {
  return levels === 'stored' ? { offset_db: 0 } : absoluteScale(ctx, interval, stored);
}

/** @param level on the requested scale. @throws AppError BAD_REQUEST with the parameter, if no point can have it */
export function storedLevel(parameter: string, level: number, offset_db: number): number {
  const stored = addLevels(level, -offset_db);
  if (stored >= FLOOR_DB && stored <= 0) return stored;
  const [least, most] = [FLOOR_DB, 0].map((end) => addLevels(end, offset_db));
  throw badParameter(parameter, `must be a number of dB from ${least} to ${most}`);
}

/** @param read reads in stored levels. @returns the answer with its interval, its scale and `excluded_seconds` */
export function measuredAnswer<Interval extends OpenInterval, Found extends object>(
  ctx: Store,
  { exclusions }: { readonly exclusions: Exclusions },
  interval: Interval,
  read: (store: Store, scale: LevelScale) => Promise<Found>,
) {
  return leaveOut(ctx, exclusions, interval, async (store) => {
    const scale = await scaleOfAnswer(store, interval);
    return { ...interval, scale, ...(await read(store, scale)) };
  });
}

const isScaled = (answer: unknown): answer is OpenInterval & { readonly scale: LevelScale } =>
  Object(answer).scale !== undefined;

/** The middleware of operations whose answer has a scale. Their handlers return stored levels. */
export const onScale: TRPCMiddlewareFunction<Context, Meta, object, object, { levels: Levels }> = async ({
  ctx,
  input,
  next,
}) => {
  const result = await next();
  if (!result.ok || !isScaled(result.data)) return result;
  const answer = result.data;
  const { energy_unavailable } = answer.scale;
  const { offset_db, scale = answer.scale } = await shownScale(ctx, input.levels, answer, answer.scale);
  return { ...result, data: { ...withLevels(answer, { offset_db, energy_unavailable }), scale } };
};
