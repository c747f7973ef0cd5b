// The level now: a meter with peak hold, the dominant frequency, and whether the recorder is silent.
import { hertzText, lengthText, levelText, NOTHING, type Scale, timeText } from '../locale-format.ts';
import { useApiClient } from '../state/api-client.tsx';
import { useClock, useLiveLevel } from '../state/live-level.ts';
import { LOUDEST, QUIETEST } from '../state/view-in-address.ts';

const share = (db: number) => Math.min(Math.max((db - QUIETEST) / (LOUDEST - QUIETEST), 0), 1);

interface MeterProps {
  readonly isOn: boolean;
  /** Whether the tab is visible; the stream is closed while it is not. */
  readonly isSeen: boolean;
  readonly scale: Scale;
  /** Time of the newest stored point. */
  readonly newest: string | null | undefined;
}

export function LiveMeter({ isOn, isSeen, scale, newest }: MeterProps) {
  const { client } = useApiClient();
  const { point, peak, isStale, isConnected } = useLiveLevel(client, isOn && isSeen);
  const level = point?.rms_db ?? null;
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
      <div className="meter" aria-hidden="true">
        <div className="bar" style={{ transform: `scaleX(${level === null ? 0 : share(level)})` }} />
        {peak !== null && <div className="peak" style={{ transform: `translateX(${share(peak) * 100}%)` }} />}
      </div>
      <p className="reading">
        <strong>{level === null ? NOTHING : levelText(level, scale)}</strong> {scale.unit}
        <span>peak {peak === null ? NOTHING : levelText(peak, scale)}</span>
        {point && (
          <>
            <span>{point.frequency_hz === null ? 'no frequency' : hertzText(point.frequency_hz)}</span>
            <span>{point.is_silence ? 'silence' : 'sound'}</span>
            <span className="soft">{timeText(point.time, 'tenth')}</span>
          </>
        )}
        {isOn && !isConnected && <span className="warning">connecting…</span>}
      </p>
      {isOn ? (
        <Silent isStale={isConnected && (isStale || point === null)} newest={point?.time ?? newest} />
      ) : (
        <p className="soft">Live is off: nothing new is shown.</p>
      )}
    </section>
  );
}

/** How old the newest point is before the recorder counts as silent, in seconds. */
const PATIENCE_S = 10;

function Silent({ isStale, newest }: { isStale: boolean; newest: string | null | undefined }) {
  const now = useClock(1000);
  const seconds = newest ? (now - Date.parse(newest)) / 1000 : 0;
  const isSilent = isStale && newest && seconds > PATIENCE_S;
  return (
    <>
      {isSilent && <p className="warning">Recorder silent for {lengthText(seconds)}</p>}
      <p role="status" className="soft">
        {isSilent ? `The newest point is of ${timeText(newest)}.` : ''}
      </p>
    </>
  );
}
