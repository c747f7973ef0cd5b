// The level now: a meter with peak hold, the dominant frequency, and since when the recorder is offline.
import { hertzText, levelText, NOTHING, type Scale, timeText } from '../locale-format.ts';
import { useClock, useLiveLevel } from '../state/live-level.ts';
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
}

export function LiveMeter({ isOn, isSeen, scale, newest }: MeterProps) {
  const { point, peak, isStale, isConnected } = useLiveLevel(isOn && isSeen);
  const now = useClock(1000);
  const last = point?.time ?? newest;
  // by the clock of the reader alone, one that is ahead would always find points old
  const isMissed = isStale || point === null || !isConnected;
  const isOld = isMissed && last != null && now - Date.parse(last) > PATIENCE_MS;
  const shown = isOld ? null : point;
  const level = shown?.rms_db ?? null;
  const held = shown && peak;
  return (
    <section className="panel now" aria-label="Now">
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
      </div>
      <p className="reading">
        <strong>{level === null ? NOTHING : levelText(level, scale)}</strong> {scale.unit}
        <span>peak {held === null ? NOTHING : levelText(held, scale)}</span>
        {shown && (
          <>
            <span>{shown.frequency_hz === null ? 'no frequency' : hertzText(shown.frequency_hz)}</span>
            <span>{shown.is_silence ? 'silence' : 'sound'}</span>
            <span className="soft">{timeText(shown.time, 'tenth')}</span>
          </>
        )}
        {isOn && !isConnected && <span className="warning">connecting…</span>}
      </p>
      {!isOn && <p className="soft">Live is off: nothing new is shown.</p>}
      <p role="status" className="warning">
        {isOn && isConnected && isOld && `Recorder offline since ${sinceText(last, now)}`}
      </p>
    </section>
  );
}

/** A time of today by the clock alone. */
function sinceText(time: string, now: number): string {
  const isToday = new Date(time).toDateString() === new Date(now).toDateString();
  return timeText(time, isToday ? 'clock' : 'minute');
}
