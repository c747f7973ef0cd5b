// The interval on screen in one line.
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../../contract/shown-scale.ts';
import { rangeText } from '../locale-format.ts';
import type { Interval } from '../state/interval.ts';
import { useLoudestAt } from '../state/panel-queries.ts';
import type { View } from '../state/view-in-address.ts';
import { PRESET_NAMES } from './interval-controls.tsx';
import { wordsOf } from './words.ts';

interface Props {
  readonly view: View;
  readonly interval: Interval;
  readonly summary: Outputs['stats']['summary'] | undefined;
  readonly top: { readonly data: Outputs['events']['top'] | undefined; readonly isPending: boolean };
  readonly quality: Outputs['stats']['quality'] | undefined;
  readonly limits: Outputs['stats']['limits'] | undefined;
  readonly scale: Scale;
}

export function ThisInterval({ view, interval, summary, top, quality, limits, scale }: Props) {
  const loudestAt = useLoudestAt(interval, summary, top.data);
  // of the answer: while another interval is asked for, the figures are of the one before
  const { from, to } = summary ? { from: Date.parse(summary.from), to: Date.parse(summary.to) } : interval;
  const isOfPreset = view.preset !== null && from === interval.from; // its end moves
  const name = isOfPreset ? PRESET_NAMES[view.preset] : rangeText(from, to, 'minute');
  const isKnown = summary && quality && !top.isPending;
  return (
    <p className="words shown">
      <strong>{name}</strong>:{' '}
      {isKnown ? wordsOf({ summary, top: top.data, quality, limits, scale, loudestAt }) : '…'}
    </p>
  );
}
