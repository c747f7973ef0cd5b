// The level now: as a number, on a meter with its peak and the limit, and beside what is usual at this hour.
import { useMemo } from 'react';
import { scaleOf } from '../../contract/shown-scale.ts';
import { clockText, decibelText, hertzText, levelText, limitText, NOTHING } from '../locale-format.ts';
import { limitAt } from '../state/limit-steps.ts';
import { useLiveLevel } from '../state/live-level.ts';
import { type Info, serviceZone } from '../state/place.ts';
import type { ShownState } from '../state/station-state.ts';
import { LOUDEST, QUIETEST } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';

const { cards } = texts;

const share = (db: number) => Math.min(Math.max((db - QUIETEST) / (LOUDEST - QUIETEST), 0), 1);
/** A level that differs by less is usual. */
const USUAL_DB = 5;

interface Props {
  readonly info: Info;
  /** Whether the page listens to new points. */
  readonly isLive: boolean;
  readonly state: ShownState['state'];
  /** A whole minute, in ms since 1970. */
  readonly now: number;
  /** What is usual at this hour, as stored. */
  readonly usual: number | null;
}

export function NowCard({ info, isLive, state, now, usual }: Props) {
  const live = useLiveLevel(isLive);
  const scale = scaleOf(info.periods[0], info.calibration_offset_db);
  const point = state === 'recording' ? live.point : null;
  const level = point?.rms_db ?? null;
  const limit_db = useMemo(
    () => limitAt(info.limits, { from: now, to: now }, serviceZone())(now),
    [info.limits, now],
  );
  const limit = scale.isAbsolute && limit_db !== undefined ? share(limit_db - scale.offset) : undefined;
  const beside = live.leq === null || usual === null || point === null ? null : live.leq - usual;
  return (
    <section className="panel card now" aria-label={cards.now}>
      <h2>{cards.now}</h2>
      <p className="level">
        <strong>{level === null ? NOTHING : levelText(level, scale)}</strong> {level !== null && scale.unit}
      </p>
      {level !== null && (
        <meter
          className="hidden"
          aria-label={cards.levelNow}
          min={QUIETEST + scale.offset}
          max={LOUDEST + scale.offset}
          value={level + scale.offset}
        />
      )}
      <div className="meter" aria-hidden="true">
        <div className="bar" style={{ transform: `scaleX(${level === null ? 0 : share(level)})` }} />
        {point && live.peak !== null && (
          <div className="peak" style={{ transform: `translateX(${share(live.peak) * 100}%)` }} />
        )}
        {limit !== undefined && (
          <div className="limit" style={{ transform: `translateX(${limit * 100}%)` }} />
        )}
      </div>
      <p className="row">
        {[
          point ? '' : texts.states[state],
          beside === null ? '' : besideText(beside, clockText(now - (now % 3_600_000), serviceZone())),
          limit === undefined || limit_db === undefined ? '' : `${cards.limit} ${limitText(limit_db)}`,
          point?.frequency_hz == null ? '' : hertzText(point.frequency_hz),
        ]
          .filter((text) => text !== '')
          .join(' · ')}
      </p>
    </section>
  );
}

function besideText(difference: number, hour: string): string {
  if (Math.abs(difference) < USUAL_DB) return cards.usualAt(hour);
  const by = decibelText(Math.abs(difference));
  return difference > 0 ? cards.louderThan(by, hour) : cards.quieterThan(by, hour);
}
