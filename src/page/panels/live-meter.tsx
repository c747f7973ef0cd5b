// The level now: as a number, on a meter with peak hold, and since when the recorder is offline.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import { limitSteps } from '../charts/limit-steps.ts';
import { hertzText, levelText, NOTHING, settingText, timeText } from '../locale-format.ts';
import { useClock, useLiveLevel } from '../state/live-level.ts';
import { usePageTitle } from '../state/page-title.ts';
import { timeZone } from '../state/time-zone.ts';
import { LOUDEST, QUIETEST } from '../state/view-in-address.ts';

const share = (db: number) => Math.min(Math.max((db - QUIETEST) / (LOUDEST - QUIETEST), 0), 1);

/** How old the newest point is at least before it says nothing of now, in milliseconds. */
const PATIENCE_MS = 10_000;

interface MeterProps {
  readonly isOn: boolean;
  /** Whether the tab is visible; the stream is closed while it is not. */
  readonly isSeen: boolean;
  readonly scale: Scale;
  /** Time of the newest stored point. */
  readonly newest: string | null | undefined;
  readonly limits: Outputs['service']['info']['limits'];
  readonly place: string | null;
}

export function LiveMeter({ isOn, isSeen, scale, newest, limits, place }: MeterProps) {
  const { point, peak, isStale, isConnected } = useLiveLevel(isOn && isSeen);
  const now = useClock(1000);
  const last = point?.time ?? newest;
  // by the clock of the reader alone, one that is ahead would always find points old
  const isMissed = isStale || !isConnected;
  const isOld = isMissed && last != null && now - Date.parse(last) > PATIENCE_MS;
  const shown = isOld ? null : point;
  const level = shown?.rms_db ?? null;
  const held = shown && peak;
  const limit = scale.isAbsolute ? limitAt(limits, now, scale) : undefined;
  const isOver = limit !== undefined && level !== null && level > Math.max(limit, QUIETEST);
  const offline = isOn && isConnected && isOld ? `Recorder offline since ${sinceText(last, now)}` : '';
  const state = level === null ? offline : `${levelText(level, scale)} ${scale.unit}`;
  usePageTitle(state, place);
  return (
    <section className={`panel now${isOld ? ' off' : ''}`} aria-label="Now">
      <p className="level">
        <strong>{level === null ? NOTHING : levelText(level, scale)}</strong> {scale.unit}
      </p>
      {level !== null && (
        <meter
          className="hidden"
          aria-label="Level now"
          min={QUIETEST + scale.offset}
          max={LOUDEST + scale.offset}
          value={level + scale.offset}
        />
      )}
      <div className={`meter${isOld ? ' off' : ''}`} aria-hidden="true">
        <div className="bar" style={{ transform: `scaleX(${level === null ? 0 : share(level)})` }} />
        {held !== null && <div className="peak" style={{ transform: `translateX(${share(held) * 100}%)` }} />}
        {limit !== undefined && (
          <div className="limit" style={{ transform: `translateX(${share(limit) * 100}%)` }} />
        )}
      </div>
      <p className="reading">
        <span className={isOver ? 'warning' : 'state'}>{stateOf({ isOn, isOld, level, isOver })}</span>
        <span>peak {held === null ? NOTHING : levelText(held, scale)}</span>
        {limit !== undefined && <span>limit now {settingText(limit, scale)}</span>}
        {shown && (
          <>
            <span>{shown.frequency_hz === null ? 'no frequency' : hertzText(shown.frequency_hz)}</span>
            <span>{shown.is_silence ? 'silence' : 'sound'}</span>
            <span className="soft">{timeText(shown.time, 'tenth')}</span>
          </>
        )}
        {isOn && !isConnected && <span className="warning">connecting…</span>}
        <span role="status" className="warning">
          {offline}
        </span>
      </p>
    </section>
  );
}

interface State {
  readonly isOn: boolean;
  readonly isOld: boolean;
  readonly level: number | null;
  readonly isOver: boolean;
}

function stateOf({ isOn, isOld, level, isOver }: State): string {
  if (!isOn) return 'Live is off: nothing new is shown.';
  if (isOver) return 'Recording, over the limit';
  return !isOld && level !== null ? 'Recording' : '';
}

/** The limit at a time, as a level on the stored scale; undefined where none applies. */
function limitAt(limits: MeterProps['limits'], now: number, { offset }: Scale): number | undefined {
  return limitSteps(limits, { from: now, to: now + 1 }, timeZone(), offset)[0]?.db;
}

/** A time of today by the clock alone. */
function sinceText(time: string, now: number): string {
  const isToday = timeText(time, 'day') === timeText(now, 'day');
  return timeText(time, isToday ? 'clock' : 'minute');
}
