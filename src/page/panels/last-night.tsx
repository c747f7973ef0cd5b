// Last night in one line, whatever interval is on screen; a click shows it.
import type { Outputs } from '../../client/index.ts';
import { scaleOf } from '../../contract/shown-scale.ts';
import { criteriaOf, useApiQuery } from '../state/api-queries.ts';
import { calendarInterval, NIGHT_END, NIGHT_START } from '../state/calendar-intervals.ts';
import { useLoudestAt } from '../state/panel-queries.ts';
import { asInput } from '../state/shown-interval.ts';
import { timeZone } from '../state/time-zone.ts';
import { changeView, type View } from '../state/view-in-address.ts';
import { wordsOf } from './words.ts';

/** A night that is not over is asked for up to the last so many. */
const STEP_MS = 600_000;

export function LastNight({ view, info }: { view: View; info: Outputs['service']['info'] }) {
  const night = calendarInterval('last-night', Math.floor(Date.now() / STEP_MS) * STEP_MS, timeZone());
  const times = asInput(night);
  const summary = useApiQuery('stats.summary', times, ({ stats }) => stats.summary.query);
  const ofEvents = { ...criteriaOf(view), ...times, limit: 1 };
  const top = useApiQuery('events.top', ofEvents, ({ events }) => events.top.query);
  const quality = useApiQuery('stats.quality', times, ({ stats }) => stats.quality.query);
  const limits = useApiQuery(
    'stats.limits',
    { ...times, time_zone: timeZone() },
    ({ stats }) => stats.limits.query,
    info.limits.length > 0,
  );
  const loudestAt = useLoudestAt(night, summary.answer.data, top.answer.data);
  const [ofNight, loudest, coverage] = [summary.answer.data, top.answer.data, quality.answer.data];
  const words =
    ofNight && coverage && !top.answer.isPending
      ? wordsOf({
          summary: ofNight,
          top: loudest,
          quality: coverage,
          limits: limits.answer.data,
          scale: scaleOf(ofNight.scale, info.calibration_offset_db),
          loudestAt,
        })
      : '…';
  return (
    <p className="words">
      <button
        type="button"
        className="link"
        onClick={() => changeView({ preset: 'last-night' }, { step: true })}
      >
        Last night {NIGHT_START}–{NIGHT_END}
      </button>
      : {words}
    </p>
  );
}
