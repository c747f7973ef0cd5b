// The frame of a panel: its heading, and its content or the error of its query.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { isRetried } from '../state/answer-faults.ts';
import { texts } from '../texts/texts.ts';
import { FailedAnswer } from './failed-answer.tsx';
import { Meaning, type MeaningName } from './meaning.tsx';

interface PanelProps {
  readonly title: string;
  /** Explained beside the heading. */
  readonly meaning?: MeaningName;
  /** If it fails and the page does not retry, its error replaces the content. */
  readonly query: Pick<UseQueryResult, 'error' | 'isPending' | 'isPlaceholderData' | 'isFetching'> & {
    refetch(): unknown;
  };
  /** Beside the heading. */
  readonly tools?: ReactNode;
  /** `full` spans both columns, if there are two. The others have their place on paper. */
  readonly className?: 'full' | 'first' | 'worst' | 'events' | 'quality';
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
      {error && !isRetried(error) ? (
        <FailedAnswer error={error} isFetching={query.isFetching} onRetry={() => query.refetch()} />
      ) : (
        children
      )}
      <p className="not-known soft">{texts.report.notKnown}</p>
    </section>
  );
}
