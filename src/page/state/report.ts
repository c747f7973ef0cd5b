// Prints the page: begins and ends what is for paper alone, and asks before for what only paper has.
import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { criteriaOf, useApiQuery } from './api-queries.ts';
import type { Interval } from './interval.ts';
import { asInput } from './shown-interval.ts';
import { setOnPaper } from './theme.ts';
import type { View } from './view-in-address.ts';

/** How many of the loudest events paper has. */
const LOUDEST = 20;

/** Whether the browser prints. Paper does not wait: what is rendered for it is there when the event ends. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const turn = (is: boolean) => () => {
      setOnPaper(is);
      flushSync(() => setPrinting(is));
    };
    const [begin, end] = [turn(true), turn(false)];
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

export function useReport(view: View, interval: Interval) {
  const isPrinting = useIsPrinting();
  const [isAsked, setAsked] = useState(false);
  const input = { ...criteriaOf(view), ...asInput(interval), limit: LOUDEST };
  const loudest = useApiQuery('events.top', input, ({ events }) => events.top.query, isAsked);
  const { data, isPending, isPlaceholderData } = loudest.answer;
  const isComplete = useIsFetching() === 0 && !isPending && !isPlaceholderData;
  useEffect(() => {
    if (!isAsked || !isComplete) return;
    setAsked(false);
    queueMicrotask(() => print()); // after the effect, in which nothing can be rendered at once
  }, [isAsked, isComplete]);
  return {
    isPrinting,
    /** Whether it was asked for, and answers are missing. */
    isWaiting: isAsked,
    /** Undefined where they were not asked for. */
    loudest: isPlaceholderData ? undefined : data,
    /** Prints as soon as all of it is known. */
    print: () => setAsked(true),
  };
}
