// The popup with the API call of a panel: its address, and buttons that copy it as curl and as TypeScript.
import { useState } from 'react';
import { useApiClient } from '../state/api-client.tsx';
import type { ApiCall } from '../state/api-queries.ts';
import { addressOf, asCurl, asTypeScript } from './call-as-code.ts';

export function ApiCallPopup({ call, title }: { call: ApiCall; title: string }) {
  const { apiKey } = useApiClient();
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
  // over plain HTTP, as in a local network, there is no navigator.clipboard
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
