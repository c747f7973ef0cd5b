// The API call of a panel: its address, and buttons that copy it as curl and as TypeScript.
import { useApiClient } from '../state/api-client.tsx';
import type { ApiCall } from '../state/api-queries.ts';
import { texts } from '../texts/texts.ts';
import { addressOf, asCurl, asTypeScript } from './call-as-code.ts';
import { CopyButton } from './copy-button.tsx';

export function ApiCallItems({ call }: { call: ApiCall }) {
  const { apiKey } = useApiClient();
  const hasKey = apiKey !== undefined;
  return (
    <>
      <a href={addressOf(call)} target="_blank" rel="noreferrer">
        {decodeURIComponent(addressOf(call))}
      </a>
      <CopyButton text={() => asCurl(call, hasKey)}>{texts.menu.curl}</CopyButton>
      <CopyButton text={() => asTypeScript(call, hasKey)}>{texts.menu.typeScript}</CopyButton>
    </>
  );
}
