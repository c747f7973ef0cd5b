// The frame of a panel: its heading, its menu with the API call, and its content or the error of the call.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { isRetried } from '../state/answer-faults.ts';
import type { ApiCall } from '../state/api-queries.ts';
import { texts } from '../texts/texts.ts';
import { ApiCallItems } from './api-call.tsx';
import { FailedAnswer } from './failed-answer.tsx';
import { Meaning, type MeaningName } from './meaning.tsx';
import { Menu } from './menu.tsx';

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
  readonly meaning?: MeaningName;
  /** If it fails and the page does not retry, its error replaces the content. */
  readonly query: Query;
  /** Beside the heading. */
  readonly tools?: ReactNode;
  /** In the menu, above the API call. */
  readonly menu?: ReactNode;
  /** Whether it spans both columns, if there are two. */
  readonly isFull?: boolean;
  /** Reserved while the answer loads, in CSS pixels. */
  readonly minHeight?: number;
  readonly children: ReactNode;
}

export function Panel(props: PanelProps) {
  const { title, meaning, query, tools, menu, isFull, minHeight, children } = props;
  const { call, answer } = query;
  const id = useId();
  const { error, isPending, isPlaceholderData } = answer;
  return (
    <section
      className={isFull ? 'panel full' : 'panel'}
      style={{ minHeight }}
      aria-labelledby={id}
      aria-busy={isPlaceholderData || (isPending && !error)}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {meaning && <Meaning of={meaning} />}
        {tools}
        <Menu label="⋯" name={texts.menu.of(title)} className="plain more">
          {menu}
          <ApiCallItems call={call} />
        </Menu>
      </header>
      {error && !isRetried(error) ? (
        <FailedAnswer error={error} isFetching={answer.isFetching} onRetry={() => answer.refetch()} />
      ) : (
        children
      )}
    </section>
  );
}
