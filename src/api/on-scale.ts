// Gives answers their levels on the scale that a caller chose, and no energy mean if the levels are maxima.
import type { TRPCMiddlewareFunction } from '@trpc/server';
import { addLevels, withLevels } from '../contract/level-fields.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { SHORTER_INTERVAL } from '../contract/parameter-messages.ts';
import type { LevelScale, Levels } from '../contract/periods.ts';
import { absoluteOf, offsetOf } from '../contract/shown-scale.ts';
import { badParameter } from '../errors.ts';
import { endOfFirstScale, type OpenInterval, scaleOf } from '../queries/periods.ts';
import type { Context } from './context.ts';
import type { Meta } from './meta.ts';

type Asked = Pick<Context, 'db' | 'site'>;

/** The scale of the points of an interval, and what is added to each level to show it as a caller chose. */
export interface ShownScale {
  readonly offset_db: number;
  /** As the answer states it. */
  readonly scale: LevelScale;
}

/**
 * The scale of an answer with absolute levels.
 *
 * @throws AppError BAD_REQUEST if nothing calibrates the levels, or levels of two scales meet in the interval
 */
export async function absoluteScale(
  ctx: Asked,
  interval: OpenInterval,
  stored?: LevelScale,
): Promise<ShownScale> {
  const scale = stored ?? (await scaleOf(ctx.db, interval));
  const offset_db = offsetOf(scale, ctx.site.calibrationOffsetDb);
  if (offset_db === null) throw badParameter('levels', await reasonOf(ctx, scale, interval));
  return { offset_db, scale: absoluteOf(scale, offset_db) };
}

async function reasonOf({ db }: Asked, { unit }: LevelScale, interval: OpenInterval): Promise<string> {
  if (unit !== null)
    return 'must be stored: nothing calibrates these levels. Record with a reference, or set CALIBRATION_OFFSET_DB (of another station than the default one: `station set --calibration-offset-db`)';
  const end = await endOfFirstScale(db, interval);
  return `must be stored, or ${SHORTER_INTERVAL}: levels of different scales meet in it. The scale of its first points holds up to ${end}`;
}

/** The same for the scale that a caller chose: without a scale if that is the stored one, which costs nothing. */
export async function shownScale(
  ctx: Asked,
  levels: Levels,
  interval: OpenInterval,
): Promise<Partial<ShownScale> & Pick<ShownScale, 'offset_db'>> {
  return levels === 'stored' ? { offset_db: 0 } : absoluteScale(ctx, interval);
}

/**
 * @param level on the scale that the caller chose
 * @returns the level as points hold it
 * @throws AppError BAD_REQUEST that names the parameter, if no point can have it
 */
export function storedLevel(parameter: string, level: number, offset_db: number): number {
  const stored = addLevels(level, -offset_db);
  if (stored >= FLOOR_DB && stored <= 0) return stored;
  const [least, most] = [FLOOR_DB, 0].map((end) => addLevels(end, offset_db));
  throw badParameter(parameter, `must be a number of dB from ${least} to ${most}`);
}

interface Scaled extends OpenInterval {
  readonly scale: LevelScale;
}

const isScaled = (answer: unknown): answer is Scaled => Object(answer).scale !== undefined;

/** For operations whose answer has a scale: the handler answers in stored levels. */
export const onScale: TRPCMiddlewareFunction<Context, Meta, object, object, { levels: Levels }> = async ({
  ctx,
  input,
  next,
}) => {
  const result = await next();
  if (!result.ok || !isScaled(result.data)) return result;
  const answer = result.data;
  const { energy_unavailable } = answer.scale;
  const { offset_db, scale } =
    input.levels === 'stored'
      ? { offset_db: 0, scale: answer.scale }
      : await absoluteScale(ctx, answer, answer.scale);
  return { ...result, data: { ...withLevels(answer, { offset_db, energy_unavailable }), scale } };
};
