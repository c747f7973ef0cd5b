// Saves the points as a file, and the chart as a picture.
import { useState } from 'react';
import { bytesText, countText, rangeText, type Scale, settingText } from '../locale-format.ts';
import { useApiClient } from '../state/api-client.tsx';
import type { Interval } from '../state/interval.ts';
import { asInput } from '../state/shown-interval.ts';
import { colour } from '../state/theme.ts';
import { addressOf } from './call-as-code.ts';

/** About how long a row of the file is: a time, a level of two decimals, a frequency, `true` or `false`. */
const ROW_BYTES = 46;

interface Props {
  readonly interval: Interval;
  /** Undefined while it is not known. */
  readonly pointCount: number | undefined;
  readonly canvas: HTMLCanvasElement | null;
  readonly scale: Scale;
  /** The line above the chart in the picture. */
  readonly caption: string;
}

export function Downloads({ interval, pointCount, scale, canvas, caption }: Props) {
  return (
    <div className="downloads">
      <CsvLink interval={interval} pointCount={pointCount} />
      <button
        type="button"
        disabled={!canvas}
        onClick={() => canvas && savePicture(canvas, caption, `${nameOf(interval)}.png`)}
      >
        Chart as PNG
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

/** Draws the caption and the chart below it on the colour of a panel. */
function savePicture(chart: HTMLCanvasElement, caption: string, name: string): void {
  const dots = devicePixelRatio;
  const top = 32 * dots;
  const picture = document.createElement('canvas');
  picture.width = chart.width;
  picture.height = chart.height + top;
  const context = picture.getContext('2d');
  if (!context) return;
  context.fillStyle = colour('--panel');
  context.fillRect(0, 0, picture.width, picture.height);
  context.fillStyle = colour('--text');
  context.font = `${13 * dots}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  context.fillText(caption, 12 * dots, top / 2, picture.width - 24 * dots);
  context.drawImage(chart, 0, top);
  picture.toBlob((blob) => blob && saveBlob(blob, name), 'image/png');
}

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export const captionOf = ({ from, to }: Interval, unit: string) =>
  `Levels in ${unit}, ${rangeText(from, to)}`;
