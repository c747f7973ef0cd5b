// The frame of a panel: its heading, its API call, and its content or the error of the call.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { isAskedAgain } from '../state/answer-faults.ts';
import type { ApiCall } from '../state/api-queries.ts';
import { ApiCallPopup } from './api-call-popup.tsx';
import { FailedAnswer } from './failed-answer.tsx';
import { Meaning } from './meaning.tsx';
import type { MEANINGS } from './meanings.ts';

/** An API call, and the state of its answer. */
interface Query {
  readonly call: ApiCall;
  readonly answer: Pick<UseQueryResult, 'error' | 'isPending' | 'isPlaceholderData' | 'isFetching'> & {
    refetch(): unknown;
  };
}

interface PanelProps {
  readonly title: string;
  /** Explained beside the heading. */
  readonly meaning?: keyof typeof MEANINGS;
  /** An error of it after which the page does not ask again by itself is shown in place of the content. */
  readonly query: Query;
  /** Beside the heading. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, meaning, query: { call, answer }, tools, children }: PanelProps) {
  const id = useId();
  const { error, isPending, isPlaceholderData } = answer;
  return (
    <section className="panel" aria-labelledby={id} aria-busy={isPlaceholderData || (isPending && !error)}>
      <header>
        <h2 id={id}>{title}</h2>
        {meaning && <Meaning of={meaning} />}
        <ApiCallPopup call={call} title={title} />
        {tools && <div className="tools">{tools}</div>}
      </header>
      {error && !isAskedAgain(error) ? (
        <FailedAnswer error={error} isFetching={answer.isFetching} onAskAgain={() => answer.refetch()} />
      ) : (
        children
      )}
    </section>
  );
}
