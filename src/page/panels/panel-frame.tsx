// A panel: a heading, what it shows, the API call behind it, and what went wrong with that.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { isFinal, isServiceError } from '../../client/service-error.ts';
import { useConnection } from '../state/api-client.tsx';
import type { ApiCall } from '../state/api-queries.ts';
import { addressOf, asCurl, asTypeScript } from './call-as-code.ts';

/** A call of the page, and how its answer stands. */
interface Query {
  readonly call: ApiCall;
  readonly answer: Pick<UseQueryResult, 'error' | 'isPending' | 'isPlaceholderData'>;
}

interface PanelProps {
  readonly title: string;
  /** An error that asking again does not change is shown in its place. */
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
        <CallPopup call={call} title={title} />
        {tools && <div className="tools">{tools}</div>}
      </header>
      {error && isFinal(error) ? <p role="alert">{messageOf(error)}</p> : children}
    </section>
  );
}

/** The message of the service, and the parameters that it names. */
export function messageOf(error: unknown): string {
  if (!isServiceError(error)) return 'The service cannot be reached.';
  const details = error.data.errors?.map(({ parameter, detail }) => `${parameter} ${detail}`) ?? [];
  return details.length > 0 ? details.join('; ') : error.message;
}

function CallPopup({ call, title }: { call: ApiCall; title: string }) {
  const { apiKey } = useConnection();
  const hasKey = apiKey !== undefined;
  return (
    <details className="call" name="popup">
      <summary aria-label={`API call of ${title}`}>API</summary>
      <div className="popup">
        <a href={addressOf(call)} target="_blank" rel="noreferrer">
          {decodeURIComponent(addressOf(call))}
        </a>
        <Copy text={asCurl(call, hasKey)}>Copy as curl</Copy>
        <Copy text={asTypeScript(call, hasKey)}>Copy as TypeScript</Copy>
      </div>
    </details>
  );
}

function Copy({ text, children }: { text: string; children: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" onClick={copy}>
      {children}
      <span aria-live="polite">{isCopied ? ' – copied' : ''}</span>
    </button>
  );
}

async function copyText(text: string): Promise<void> {
  // an address of a local network is no secure context, and has no clipboard
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
