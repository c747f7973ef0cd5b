// Prints the page: begins and ends what is for paper alone, and waits for what is asked.
import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { setOnPaper } from './theme.ts';

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

export function useReport() {
  const isPrinting = useIsPrinting();
  const [isAsked, setAsked] = useState(false);
  const isComplete = useIsFetching() === 0;
  useEffect(() => {
    if (!isAsked || !isComplete) return;
    setAsked(false);
    queueMicrotask(() => print()); // after the effect, in which nothing can be rendered at once
  }, [isAsked, isComplete]);
  return {
    isPrinting,
    /** Whether it was asked for, and answers are missing. */
    isWaiting: isAsked,
    /** Prints as soon as all of it is known. */
    print: () => setAsked(true),
  };
}
