// The panel of days by hours. If limits apply, the shade shows how far each hour is over them.
import { useState } from 'react';
import { useApiQuery } from '../state/api-queries.ts';
import { scaleIn } from '../state/scale.ts';
import { type Shown, useHours } from '../state/shown.ts';
import { asLevels } from '../state/shown-interval.ts';
import { timeZone } from '../state/site.ts';
import { DAY_MS } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';
import { Choice } from './choice.tsx';
import { DayByHour, type HourMetric } from './day-by-hour.tsx';
import { Panel } from './panel-frame.tsx';

const { hours: words } = texts;

const useEventHours = ({ interval, rule }: Shown, isShown: boolean) =>
  useApiQuery(
    'events.series',
    { ...rule, ...asLevels(interval), bucket: '1h', time_zone: timeZone() } as const,
    ({ events }) => events.series.query,
    isShown,
  );

const daysIn = ({ interval: { from, to } }: Shown) => Math.ceil((to - from) / DAY_MS);

export function HoursPanel({ shown }: { shown: Shown }) {
  const { limits } = shown.info;
  const hours = useHours(shown);
  const scale = scaleIn(hours.answer.data?.scale);
  const hasLimits = limits.length > 0 && scale.isAbsolute && scale.hasEnergy;
  const [chosen, setChosen] = useState<HourMetric>();
  const isThere = chosen !== undefined && (chosen !== 'over' || hasLimits);
  const metric = isThere ? chosen : hasLimits ? 'over' : 'leq';
  const events = useEventHours(shown, metric === 'events');
  const { over, ...others } = words.metrics;
  return (
    <Panel
      title={words.title}
      minHeight={Math.min(118 + 28 * daysIn(shown), 560)}
      query={metric === 'events' ? events : hours}
      tools={
        <Choice
          names={{ ...(hasLimits && { over }), ...others, leq: scale.level }}
          chosen={metric}
          onChoose={setChosen}
          legend={words.legend}
        />
      }
    >
      {hours.answer.data && (
        <DayByHour
          metric={metric}
          series={hours.answer.data}
          events={events.answer.data}
          scale={scale}
          limits={limits}
        />
      )}
    </Panel>
  );
}
