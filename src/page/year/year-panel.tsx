// The panel of a year. Its calendar is a script of its own, which loads when a year is first shown.
import { useQuery } from '@tanstack/react-query';
import { Panel } from '../panels/panel-frame.tsx';
import { RangeControl } from '../panels/range-control.tsx';
import type { Shown } from '../state/shown.ts';
import { texts } from '../texts/texts.ts';

export function YearPanel({ shown, isRecording }: { shown: Shown; isRecording: boolean }) {
  const query = useQuery({ queryKey: ['year'], queryFn: () => import('./year.tsx') });
  const range = <RangeControl view={shown.view} interval={shown.interval} isRecording={isRecording} />;
  if (query.data) return <query.data.YearCalendar shown={shown} range={range} />;
  return (
    <Panel title={texts.range.presets.year} className="year" query={query} tools={range}>
      <div className="chart-space" />
    </Panel>
  );
}
