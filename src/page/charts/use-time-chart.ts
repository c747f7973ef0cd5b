// A time chart in a React element: redrawn when its data or its width changes.
import { type RefObject, useEffect, useRef } from 'react';
import type { TimeChart } from './time-chart.ts';

/** @param create must be the same function in each render */
export function useTimeChart<Data>(
  area: RefObject<HTMLElement | null>,
  data: Data,
  create: (parent: HTMLElement, data: Data) => TimeChart<Data>,
): RefObject<TimeChart<Data> | null> {
  const chart = useRef<TimeChart<Data>>(null);
  const drawn = useRef(data);
  useEffect(() => {
    if (!area.current) return;
    const made = create(area.current, drawn.current);
    chart.current = made;
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      if (width > 0 && width !== made.plot.width) made.resize(width);
    });
    observer.observe(area.current);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [area, create]);
  useEffect(() => {
    if (data === drawn.current) return;
    drawn.current = data;
    chart.current?.draw(data);
  }, [data]);
  return chart;
}
