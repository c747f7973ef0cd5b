// The cards: the level now, last night, and the current part of the day.
import { useApiQuery } from '../state/api-queries.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { useClock } from '../state/live-level.ts';
import { asLevels, iso } from '../state/shown-interval.ts';
import { type Info, serviceZone } from '../state/site.ts';
import type { ShownState } from '../state/station-state.ts';
import { DAYS, usualLevel } from '../state/usual-level.ts';
import { changeView, DAY_MS } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';
import { NowCard } from './now-card.tsx';
import { StretchCard } from './stretch-card.tsx';
import { hasNight, isNight, useStretches } from './stretches.ts';

const { cards } = texts;
const [MINUTE, HOUR] = [60_000, 3_600_000];

interface Props {
  readonly info: Info;
  readonly state: ShownState['state'];
  readonly isLive: boolean;
}

export function Cards({ info, state, isLive }: Props) {
  const now = floor(useClock(10_000), MINUTE);
  const stretches = useStretches(info, now);
  const { night, running, scale, error } = stretches;
  const usualIn = useUsual(floor(now, HOUR));
  const usual = scale?.energy_unavailable === false ? usualIn : () => null;
  const common = { info, error, judged: stretches.judged };
  return (
    <div className="cards">
      <NowCard
        info={info}
        isLive={isLive}
        state={state}
        now={now}
        usual={usual({ from: floor(now, HOUR), to: floor(now, HOUR) + HOUR })}
      />
      <StretchCard
        {...common}
        name={hasNight() ? cards.lastNight : cards.before}
        stretch={night}
        usual={night ? usual(intervalOf(night)) : null}
        onShow={() => changeView({ preset: 'last-night' }, { step: true })}
      />
      <StretchCard
        {...common}
        name={running && isNight(running) ? cards.tonight : cards.today}
        stretch={running}
        isWithoutLimit={stretches.isKnown && !running}
        isRunning
        usual={running ? usual(intervalOf(running)) : null}
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
