// The frame of a panel: its heading, and its content or the error of its query.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { isServiceError } from '../../client/service-error.ts';
import { faultOf, isRetried, tookTooLong } from '../state/answer-faults.ts';
import { texts } from '../texts/texts.ts';
import { usePassFocusOn } from './keyboard-focus.ts';
import { Meaning, type MeaningName } from './menu.tsx';

interface PanelProps {
  readonly title: string;
  /** Explained beside the heading. */
  readonly meaning?: MeaningName;
  /** If it fails and the page does not retry, its error replaces the content. */
  readonly query: Pick<UseQueryResult, 'error' | 'isPending' | 'isPlaceholderData' | 'isFetching'> & {
    refetch(): unknown;
  };
  readonly tools?: ReactNode;
  /** Its place on paper, or its own look. */
  readonly className?: string;
  readonly children: ReactNode;
}

export function Panel({ title, meaning, query, tools, className, children }: PanelProps) {
  const id = useId();
  const { error, isPending, isPlaceholderData } = query;
  return (
    <section
      className={`panel ${className ?? ''}`}
      aria-labelledby={id}
      aria-busy={isPlaceholderData || (isPending && !error)}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {meaning && <Meaning of={meaning} />}
        {tools}
      </header>
      {error && !isRetried(error) ? <FailedAnswer query={query} /> : children}
      <p className="not-known soft">{texts.report.notKnown}</p>
    </section>
  );
}

/** Replaces the content of a panel if its request failed and the page does not retry by itself. */
function FailedAnswer({ query: { error, isFetching, refetch } }: Pick<PanelProps, 'query'>) {
  const passFocusOn = usePassFocusOn();
  const sentence = texts.faults[faultOf(error)];
  if (!tookTooLong(error)) return <p role="alert">{isServiceError(error) ? error.message : sentence}</p>;
  return (
    <p role="alert">
      {sentence}{' '}
      <button
        type="button"
        ref={passFocusOn}
        aria-disabled={isFetching} // `disabled` would lose the focus
        onClick={() => isFetching || refetch()}
      >
        {texts.notices.retry}
      </button>
    </p>
  );
}
