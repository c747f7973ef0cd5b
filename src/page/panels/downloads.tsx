// Saves the points as a file, the chart as a picture, and the page as a report.
import { useState } from 'react';
import type { Scale } from '../../contract/shown-scale.ts';
import { bytesText, countText, settingText } from '../locale-format.ts';
import { useApiClient } from '../state/api-client.tsx';
import type { Interval } from '../state/interval.ts';
import { asInput } from '../state/shown-interval.ts';
import { addressOf } from './call-as-code.ts';
import { drawPicture, type PictureText } from './chart-picture.ts';

/** About how long a row of the file is: a time, a level of two decimals, a frequency, `true` or `false`. */
const ROW_BYTES = 46;

interface Props {
  readonly interval: Interval;
  /** Undefined while it is not known. */
  readonly pointCount: number | undefined;
  readonly canvas: HTMLCanvasElement | null;
  readonly scale: Scale;
  /** What stands around the chart in the picture; undefined while that is not known. */
  readonly text: PictureText | undefined;
  readonly report: { readonly isWaiting: boolean; print(): void };
}

export function Downloads({ interval, pointCount, scale, canvas, text, report }: Props) {
  const save = () => {
    if (!canvas || !text) return;
    drawPicture(canvas, text).toBlob(
      (blob) => blob && saveBlob(blob, `${nameOf(interval)}.png`),
      'image/png',
    );
  };
  return (
    <div className="downloads">
      <CsvLink interval={interval} pointCount={pointCount} />
      <button type="button" disabled={!canvas || !text} onClick={save}>
        Chart as PNG
      </button>
      <button type="button" title="Prints a report of one to four pages, also as PDF" onClick={report.print}>
        Report{report.isWaiting && ' …'}
      </button>
      {scale.offset !== 0 && (
        <small className="soft">
          The CSV, the API and the address of this page have levels as they are stored: add{' '}
          {settingText(0, scale)} dB for {scale.unit}.
        </small>
      )}
    </div>
  );
}

function CsvLink({ interval, pointCount }: Pick<Props, 'interval' | 'pointCount'>) {
  const { apiKey } = useApiClient();
  const [state, setState] = useState('');
  const call = { operation: 'export.csv', input: asInput(interval) };
  const size =
    pointCount === undefined
      ? ''
      : `${countText(pointCount)} rows, about ${bytesText(pointCount * ROW_BYTES)}`;
  const name = `${nameOf(interval)}.csv`;
  if (apiKey === undefined)
    return (
      <a className="button" href={addressOf(call)} download={name}>
        CSV <small>{size}</small>
      </a>
    );
  // a link cannot send a key
  const save = async () => {
    setState('…');
    try {
      const response = await fetch(addressOf(call), { headers: { authorization: `Bearer ${apiKey}` } });
      if (!response.ok) throw new Error(`The service answered ${response.status}.`);
      saveBlob(await response.blob(), name);
      setState('');
    } catch (error) {
      setState(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <button type="button" onClick={save}>
      CSV <small>{size}</small> <span role="status">{state}</span>
    </button>
  );
}

const nameOf = ({ from, to }: Interval) => `audio-${timeStamp(from)}-${timeStamp(to)}`;

const timeStamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '');

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
