// The level chart in a React element: redrawn when its data or its width changes, and made anew for paper.
import { useEffect, useLayoutEffect, useRef } from 'react';
import { createLevelChart, type DrawnChart } from './level-chart.ts';
import type { ChartData } from './level-chart-data.ts';

/**
 * @param onPoint must be the same function in each render. Receives the time at the cursor, or null
 * @returns the chart, and a `ref` for its element
 */
export function useLevelChart(data: ChartData, onPoint: (time: string | null) => void) {
  const area = useRef<HTMLDivElement>(null);
  const chart = useRef<DrawnChart>(null);
  const latest = useRef(data);
  latest.current = data;
  const drawn = useRef(data);
  const { isOnPaper } = data;
  // a layout effect: printing waits for no other
  useLayoutEffect(() => {
    if (!area.current) return;
    drawn.current = latest.current;
    const made = createLevelChart(area.current, latest.current, onPoint);
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
  }, [onPoint, isOnPaper]);
  useEffect(() => {
    if (data === drawn.current) return;
    drawn.current = data;
    chart.current?.draw(data);
  }, [data]);
  return { area, chart };
}
