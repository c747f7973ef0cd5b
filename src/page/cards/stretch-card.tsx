// A card about a part of the day: the verdict, its figures, and its loudest cause. A click shows that interval.
import { type ReactNode, useId } from 'react';
import { bandText, clockText, wholeLevelText, zoneName } from '../locale-format.ts';
import { faultOf } from '../state/answer-faults.ts';
import { useWorst } from '../state/shown.ts';
import { type Info, serviceZone, timeZone } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { NO_LIMIT_NOW, type Rows, rowsOf, type VerdictRules, WAITING } from './card-rows.ts';
import type { Stretch } from './stretches.ts';

const { cards } = texts;

interface Props {
  readonly name: string;
  readonly info: Info;
  /** Undefined while unknown. */
  readonly stretch: Stretch | undefined;
  readonly isRunning?: boolean;
  /** Whether no limit applies now. */
  readonly isWithoutLimit?: boolean;
  /** The answer that contains the stretch. */
  readonly judged: VerdictRules | undefined;
  /** Why the stretch is unknown. */
  readonly error: unknown;
  /** The usual level of the stretch, as stored; null if unknown. */
  readonly usual: number | null;
  readonly onShow: () => void;
}

export function StretchCard(props: Props) {
  const { name, info, stretch, isRunning = false, isWithoutLimit, judged, error, usual, onShow } = props;
  const id = useId();
  const hasLimits = info.limits.length > 0;
  const shown: Rows = error
    ? { mark: '?', verdict: cards.unknown, figures: texts.faults[faultOf(error)] }
    : stretch && judged
      ? rowsOf({ stretch, isRunning, judged, hasLimits, usual })
      : isWithoutLimit
        ? NO_LIMIT_NOW
        : WAITING;
  return (
    <section className={`panel card ${stretch && !error ? (stretch.state ?? '') : ''}`} aria-labelledby={id}>
      <h2 id={id}>
        <button type="button" className="plain" onClick={onShow}>
          {name} {stretch && <small>{timesOf(stretch, isRunning)}</small>}
        </button>
      </h2>
      <Row className="verdict">
        {shown.mark && <i aria-hidden="true">{shown.mark}</i>} {shown.verdict}
      </Row>
      <Row className="figures">{shown.figures}</Row>
      <Row>{shown.reason ?? (stretch && !error && <Cause of={stretch} />)}</Row>
    </section>
  );
}

const Row = ({ className = '', children }: { className?: string; children: ReactNode }) => (
  <p className={`row ${className}`}>{children}</p>
);

/** Times in the place's time zone. Names that zone if the page shows another. */
function timesOf({ from, to }: Stretch, isRunning: boolean): string {
  const zone = serviceZone() === timeZone() ? '' : ` ${zoneName(from, serviceZone())}`;
  const start = clockText(from, serviceZone());
  return `${isRunning ? cards.since(start) : `${start}–${clockText(to, serviceZone())}`}${zone}`;
}

/** The stretch with the most energy above the background. */
function Cause({ of }: { of: Stretch }) {
  const interval = { from: Date.parse(of.from), to: Date.parse(of.to) };
  const answer = useWorst({ interval }, 1);
  if (!answer.data) return answer.failureReason ? cards.causeUnknown : '';
  const [worst] = answer.data.worst;
  if (!worst) return of.leq_db === null ? '' : cards.nothingStoodOut;
  const level = worst.leq_db === null ? '' : ` ${wholeLevelText(worst.leq_db)} dB`;
  const band = worst.band_hz === null ? '' : ` ${cards.at(bandText(worst.band_hz))}`;
  const times = [worst.from, worst.to].map((time) => clockText(time, serviceZone())).join('–');
  return `${cards.worst} ${times}:${level}${band}`;
}
