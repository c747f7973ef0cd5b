// Prints the page: renders the parts for paper, and waits for their answers.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { setOnPaper } from './theme.ts';

/** Whether the browser is printing. Printing does not wait: paper parts must be rendered when the event ends. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const switchTo = (is: boolean) => () => {
      setOnPaper(is);
      flushSync(() => setPrinting(is));
    };
    const [begin, end] = [switchTo(true), switchTo(false)];
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
  const [isPrintRequested, setPrintRequested] = useState(false);
  const queries = useQueryClient();
  useEffect(() => {
    if (!isPrintRequested) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // after all effects: tables that only paper shows have begun to ask by then
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (queries.isFetching() > 0) return;
        setPrintRequested(false);
        print();
      });
    };
    wait();
    const stop = queries.getQueryCache().subscribe(wait);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [isPrintRequested, queries]);
  return {
    isPrinting,
    /** Whether a print was requested and answers are missing. */
    isWaiting: isPrintRequested,
    /** Prints as soon as everything is known. */
    print: () => setPrintRequested(true),
  };
}
