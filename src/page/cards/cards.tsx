// The cards: the level now, last night, and the current part of the day.
import { type ReactNode, useId } from 'react';
import { causeText, clockText, wholeLevelText, zoneName } from '../locale-format.ts';
import { faultOf } from '../state/answer-faults.ts';
import { useApiQuery } from '../state/api-queries.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type TimeSpan } from '../state/calendar-intervals.ts';
import { type ShownState, useClock } from '../state/live-level.ts';
import { useWhy } from '../state/shown.ts';
import { asLevels, iso } from '../state/shown-interval.ts';
import { type Info, scaleIn, serviceZone, timeZone } from '../state/site.ts';
import { DAYS, usualLevel } from '../state/usual-level.ts';
import { changeView } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';
import { type Rows, rowsOf, type VerdictRules } from './card-rows.ts';
import { NowCard } from './now-card.tsx';
import { hasNight, isNight, type Stretch, useStretches } from './stretches.ts';

const {
  cards,
  range: { presets },
} = texts;

interface Props {
  readonly info: Info;
  readonly state: ShownState['state'];
  readonly isLive: boolean;
}

export function Cards({ info, state, isLive }: Props) {
  const now = floor(useClock(10_000), MINUTE_MS);
  const { night, running, answer, error } = useStretches(info, now);
  const usualIn = useUsual(floor(now, HOUR_MS));
  const usual = answer?.scale.energy_unavailable === false ? usualIn : () => null;
  const common = { info, error, now, judged: answer };
  return (
    <div className="cards">
      <NowCard
        info={info}
        isLive={isLive}
        state={state}
        now={now}
        usual={usual({ from: floor(now, HOUR_MS), to: floor(now, HOUR_MS) + HOUR_MS })}
      />
      <StretchCard
        {...common}
        name={hasNight() ? presets['last-night'] : cards.before}
        stretch={night}
        usual={night ? usual(intervalOf(night)) : null}
        onShow={() => changeView({ preset: 'last-night' }, { step: true })}
      />
      <StretchCard
        {...common}
        name={running && isNight(running) ? cards.tonight : presets.today}
        stretch={running}
        isWithoutLimit={answer !== undefined && !running}
        usual={running ? usual({ ...intervalOf(running), to: now }) : null}
        onShow={() =>
          changeView(running ? { from: iso(Date.parse(running.from)), to: 'now' } : { preset: 'today' }, {
            step: true,
          })
        }
      />
    </div>
  );
}

const floor = (ms: number, step: number) => Math.floor(ms / step) * step;

const intervalOf = ({ from, to }: { from: string; to: string }): TimeSpan => ({
  from: Date.parse(from),
  to: Date.parse(to),
});

/** @returns a function that finds an interval's usual level, from the days before */
function useUsual(hour: number): (interval: TimeSpan) => number | null {
  const before = { from: hour - (DAYS + 2) * DAY_MS, to: hour };
  const input = { ...asLevels(before), bucket: '1h', time_zone: serviceZone() } as const;
  const { data } = useApiQuery('stats.series', input, ({ stats }) => stats.series.query);
  return (interval) => usualLevel(data?.buckets ?? [], interval, serviceZone());
}

interface StretchProps {
  readonly name: string;
  /** A whole minute, in ms since 1970. */
  readonly now: number;
  readonly info: Info;
  /** Undefined while unknown. */
  readonly stretch: Stretch | undefined;
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

/** A card about a part of the day: the verdict, its figures, and its loudest cause. A click shows that interval. */
function StretchCard(props: StretchProps) {
  const { name, info, now, stretch, isWithoutLimit, judged, error, usual, onShow } = props;
  const id = useId();
  const hasLimits = info.limits.length > 0;
  const shown: Rows = error
    ? { mark: '?', verdict: cards.unknown, figures: texts.faults[faultOf(error)] }
    : stretch && judged
      ? rowsOf({ stretch, judged, hasLimits, usual })
      : { verdict: isWithoutLimit ? cards.noLimitNow : '…' };
  return (
    <section className={`panel card ${stretch && !error ? (stretch.state ?? '') : ''}`} aria-labelledby={id}>
      <h2 id={id}>
        <button type="button" className="plain" onClick={onShow}>
          {name} {stretch && <small>{timesOf(stretch)}</small>}
        </button>
      </h2>
      <Row className="verdict">
        {shown.mark && <i aria-hidden="true">{shown.mark}</i>} {shown.verdict}
      </Row>
      <Row className="figures">{shown.figures}</Row>
      <div className="beside">
        {shown.note && <Row className="note">{shown.note}</Row>}
        <Row>{stretch && !error && <Cause of={stretch} now={now} />}</Row>
      </div>
    </section>
  );
}

const Row = ({ className = '', children }: { className?: string; children: ReactNode }) => (
  <p className={`row ${className}`}>{children}</p>
);

/** Times in the place's time zone. Names that zone if the page shows another. */
function timesOf({ from, to, is_running }: Stretch): string {
  const zone = serviceZone() === timeZone() ? '' : ` ${zoneName(from, serviceZone())}`;
  const start = clockText(from, serviceZone());
  return `${is_running ? texts.since(start) : `${start}–${clockText(to, serviceZone())}`}${zone}`;
}

/** What made the part loud: the episode with the most energy. */
function Cause({ of, now }: { of: Stretch; now: number }) {
  const { from, to } = intervalOf(of);
  const { query } = useWhy({ interval: { from, to: Math.min(to, now) } });
  if (!query.data) return query.failureReason ? cards.causeUnknown : '';
  const [cause] = query.data.parts[0]?.episodes ?? [];
  if (!cause || cause.kind === 'background') return of.leq_db === null ? '' : cards.nothingStoodOut;
  const times = [cause.from, cause.to].map((time) => clockText(time, serviceZone())).join('–');
  const level =
    cause.leq_db === null ? '' : `, ${wholeLevelText(cause.leq_db)} ${scaleIn(query.data.scale).unit}`;
  return `${causeText(cause)} ${times}${level}`;
}
