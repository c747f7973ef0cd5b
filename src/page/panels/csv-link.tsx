// Saves the points as a CSV file.
import { useState } from 'react';
import { bytesText, countText } from '../locale-format.ts';
import { useApiClient } from '../state/api-client.tsx';
import { effectiveInput } from '../state/api-queries.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { serviceUrl } from '../state/service-url.ts';
import { asLevels } from '../state/shown-interval.ts';
import { texts } from '../texts/texts.ts';

const { files } = texts;

/** The approximate length of a row: a time, a level of two decimals, a frequency, `true` or `false`. */
const ROW_BYTES = 46;

interface Props {
  readonly interval: TimeSpan;
  readonly pointCount: number | undefined;
}

export function CsvLink({ interval, pointCount }: Props) {
  const { apiKey } = useApiClient();
  const [state, setState] = useState('');
  const query = new URLSearchParams(effectiveInput(asLevels(interval)));
  const address = `${serviceUrl()}/api/v1/export/csv?${query}`;
  const size =
    pointCount === undefined ? '' : files.rows(countText(pointCount), bytesText(pointCount * ROW_BYTES));
  const name = `audio-${timeStamp(interval.from)}-${timeStamp(interval.to)}.csv`;
  if (apiKey === undefined)
    return (
      <a href={address} download={name} title={size}>
        CSV
      </a>
    );
  // a link cannot send a key
  const save = async () => {
    setState('…');
    try {
      const response = await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } });
      if (!response.ok) throw new Error(files.failed(response.status));
      saveBlob(await response.blob(), name);
      setState('');
    } catch (error) {
      setState(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <button type="button" className="link" title={size} onClick={save}>
      CSV <span role="status">{state}</span>
    </button>
  );
}

const timeStamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '');

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
