// The verdicts: large for the part of the day that matters most, with its allowance, and small for the other.
import { type ReactNode, useId } from 'react';
import { clocksText, timeText, zoneName } from '../locale-format.ts';
import { faultOf } from '../state/answer-faults.ts';
import { useCauses, type WhyPart } from '../state/causes.ts';
import { type Shown, useWhy } from '../state/shown.ts';
import { iso, timesIn } from '../state/shown-interval.ts';
import { serviceZone, timeZone } from '../state/site.ts';
import { changeView } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';
import { AllowanceBar } from './allowance-bar.tsx';
import { isTooLoud, partName, type Rows, rowsOf } from './card-rows.ts';
import { type Stretch, useStretches } from './stretches.ts';

const { cards } = texts;

export function Cards({ shown }: { shown: Shown }) {
  const { main, other, answer, error, now } = useStretches(shown.info);
  const hasLimits = shown.info.limits.length > 0;
  const rows = (stretch: Stretch | undefined): Rows => {
    if (error) return { mark: '?', verdict: cards.unknown, figures: texts.faults[faultOf(error)] };
    if (!answer) return NOT_KNOWN;
    return stretch ? rowsOf(stretch, answer, hasLimits) : { verdict: cards.noLimitNow };
  };
  return (
    <div className="cards">
      <Card className="main" stretch={main} rows={rows(main)}>
        {hasLimits &&
          (main && !error ? <Allowance of={main} shown={shown} now={now} /> : <div className="allowance" />)}
      </Card>
      <Card className="other" stretch={other} rows={rows(other)} />
    </div>
  );
}

const NOT_KNOWN: Rows = { verdict: '' };

function Allowance({ of, shown, now }: { of: Stretch; shown: Shown; now: number }) {
  const { from, to } = timesIn(of);
  const { causes, parts } = useCauses(shown);
  const isOf = (part: WhyPart) => part.from === of.from;
  const known = parts.find(isOf);
  const { query } = useWhy({ interval: { from, to: Math.min(to, now) } }, !known);
  const made = known ?? query.data?.parts.find(isOf); // meanwhile, the answer is that of the last part
  return <AllowanceBar of={of} made={made} listed={causes} now={now} />;
}

interface CardProps {
  readonly className: 'main' | 'other';
  /** Undefined while unknown, or if no limit applies. */
  readonly stretch: Stretch | undefined;
  readonly rows: Rows;
  readonly children?: ReactNode;
}

/** A card about a part of the day. A click shows its interval. */
function Card({ className, stretch, rows, children }: CardProps) {
  const id = useId();
  const state = stretch && (isTooLoud(stretch) ? 'too-loud' : (stretch.state ?? ''));
  const show = () => {
    if (stretch)
      changeView(
        { from: iso(timesIn(stretch).from), to: stretch.is_running ? 'now' : iso(timesIn(stretch).to) },
        { step: true },
      );
  };
  return (
    <section className={`panel card ${className} ${state ?? ''}`} aria-labelledby={id}>
      <h2 id={id}>
        <button type="button" className="plain" onClick={show}>
          {stretch ? `${partName(stretch)}, ${timesOf(stretch)}` : '\u00a0'}
        </button>
      </h2>
      <p className="row verdict">
        {rows.mark && <i aria-hidden="true">{rows.mark}</i>} {rows.verdict}
      </p>
      <p className="row figures">{rows.figures}</p>
      <p className="row note">{rows.note}</p>
      {children}
    </section>
  );
}

/** Times in the place's time zone. Names that zone if the page shows another. */
function timesOf({ from, to, is_running }: Stretch): string {
  const zone = serviceZone() === timeZone() ? '' : ` ${zoneName(from, serviceZone())}`;
  const times = is_running
    ? texts.since(timeText(from, 'clock', serviceZone()))
    : clocksText(from, to, serviceZone());
  return times + zone;
}
