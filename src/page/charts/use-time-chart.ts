// A time chart in a React element: redrawn when its data or its width changes, and made anew for paper.
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { TimeChart, TimeData } from './time-chart.ts';

/**
 * @param create must be the same function in each render
 * @returns the chart, and a `ref` for its element
 */
export function useTimeChart<Data extends TimeData>(
  data: Data,
  create: (parent: HTMLElement, data: Data) => TimeChart<Data>,
) {
  const area = useRef<HTMLDivElement>(null);
  const chart = useRef<TimeChart<Data>>(null);
  const latest = useRef(data);
  latest.current = data;
  const drawn = useRef(data);
  const { isOnPaper } = data;
  // a layout effect: printing waits for no other
  useLayoutEffect(() => {
    if (!area.current) return;
    drawn.current = latest.current;
    const made = create(area.current, latest.current);
    chart.current = made;
    if (isOnPaper) made.draw(latest.current); // uPlot's first drawing waits for a microtask, this one does not
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      if (width > 0 && width !== made.plot.width && !isOnPaper) made.resize(width);
    });
    observer.observe(area.current);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [create, isOnPaper]);
  useEffect(() => {
    if (data === drawn.current) return;
    drawn.current = data;
    chart.current?.draw(data);
  }, [data]);
  return { area, chart };
}
