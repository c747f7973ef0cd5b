// Saves the points as a CSV file.
import { useState } from 'react';
import type { Outputs } from '../../client/index.ts';
import { bytesText, countText, timeText } from '../locale-format.ts';
import { useApiClient } from '../state/api-client.tsx';
import { effectiveInput } from '../state/api-queries.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { serviceUrl } from '../state/service-url.ts';
import { asLevels } from '../state/shown-interval.ts';
import { pointsSinceIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';

const { files } = texts;

/** The approximate length of a row: a time, a level of two decimals, a frequency, `true` or `false`. */
const ROW_BYTES = 46;

interface Props {
  readonly interval: TimeSpan;
  /** Of the same interval; undefined while unknown. */
  readonly summary: Outputs['stats']['summary'] | undefined;
}

export function CsvLink({ interval, summary }: Props) {
  const { apiKey } = useApiClient();
  const [state, setState] = useState('');
  const query = new URLSearchParams(effectiveInput(asLevels(interval)));
  const address = `${serviceUrl()}/api/v1/export/csv?${query}`;
  const { point_count = 0 } = summary ?? {};
  const since = pointsSinceIn(summary);
  const size = since
    ? texts.notices.pointsEnd(timeText(since, 'minute'))
    : summary && files.rows(countText(point_count), bytesText(point_count * ROW_BYTES));
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
