// The frame of a panel: its heading, its API call, and its content or the error of the call.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { isFinal, isServiceError } from '../../client/service-error.ts';
import type { ApiCall } from '../state/api-queries.ts';
import { ApiCallPopup } from './api-call-popup.tsx';

/** An API call, and the state of its answer. */
interface Query {
  readonly call: ApiCall;
  readonly answer: Pick<UseQueryResult, 'error' | 'isPending' | 'isPlaceholderData'>;
}

interface PanelProps {
  readonly title: string;
  /** A final error of it is shown in place of the content. */
  readonly query: Query;
  /** Beside the heading. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, query: { call, answer }, tools, children }: PanelProps) {
  const id = useId();
  const { error, isPending, isPlaceholderData } = answer;
  return (
    <section className="panel" aria-labelledby={id} aria-busy={isPlaceholderData || (isPending && !error)}>
      <header>
        <h2 id={id}>{title}</h2>
        <ApiCallPopup call={call} title={title} />
        {tools && <div className="tools">{tools}</div>}
      </header>
      {error && isFinal(error) ? <p role="alert">{messageOf(error)}</p> : children}
    </section>
  );
}

/** The message of the service, and the parameters that it names. */
function messageOf(error: unknown): string {
  if (!isServiceError(error)) return 'The service cannot be reached.';
  const details = error.data.errors?.map(({ parameter, detail }) => `${parameter} ${detail}`) ?? [];
  return details.length > 0 ? details.join('; ') : error.message;
}
