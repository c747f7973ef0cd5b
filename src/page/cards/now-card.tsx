// The level now: as a number, on a meter with its peak and the limit, and compared with the usual level at this hour.
import { useMemo } from 'react';
import {
  clockText,
  decibelText,
  hertzText,
  levelText,
  limitText,
  listText,
  NOTHING,
} from '../locale-format.ts';
import { HOUR_MS } from '../state/calendar-intervals.ts';
import { type ShownState, useLiveLevel } from '../state/live-level.ts';
import { type Info, limitSteps, RANGE_DB, scaleNow, serviceZone } from '../state/site.ts';
import { energyMean } from '../state/usual-level.ts';
import { texts } from '../texts/texts.ts';

const { cards } = texts;

/** Smaller differences count as usual. */
const USUAL_DB = 5;

interface Props {
  readonly info: Info;
  /** Whether the page listens to new points. */
  readonly isLive: boolean;
  readonly state: ShownState['state'];
  /** A whole minute, in ms since 1970. */
  readonly now: number;
  /** The usual level at this hour; null if unknown. */
  readonly usual: number | null;
}

export function NowCard({ info, isLive, state, now, usual }: Props) {
  const live = useLiveLevel(isLive);
  const scale = scaleNow(info, now);
  const share = (db: number) => Math.min(Math.max((db - scale.floor) / RANGE_DB, 0), 1);
  const point = state === 'recording' ? live.point : null;
  const level = point?.rms_db ?? null;
  const step = useMemo(
    () => limitSteps(info.limits, { from: now, to: now + 1 }, serviceZone())[0],
    [info.limits, now],
  );
  const limit = scale.isAbsolute && step ? share(step.db) : undefined;
  const leq = usual === null || point === null ? null : energyMean(live.minute);
  const beside = leq === null || usual === null ? null : leq - usual;
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
          min={scale.floor}
          max={scale.floor + RANGE_DB}
          value={level}
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
        {listText(
          [
            point ? '' : texts.states[state],
            beside === null ? '' : besideText(beside, clockText(now - (now % HOUR_MS), serviceZone())),
            limit === undefined || !step ? '' : `${cards.limit} ${limitText(step.db)} ${step.unit}`,
            point?.frequency_hz == null ? '' : hertzText(point.frequency_hz),
          ],
          ' · ',
        )}
      </p>
    </section>
  );
}

function besideText(difference: number, hour: string): string {
  if (Math.abs(difference) < USUAL_DB) return cards.usualAt(hour);
  const by = decibelText(Math.abs(difference));
  return difference > 0 ? cards.louderThan(by, hour) : cards.quieterThan(by, hour);
}
