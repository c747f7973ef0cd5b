// The handle of the threshold beside the level chart. Dragging moves it, and so do arrow keys, in steps of 0.5 dB.
import { type KeyboardEvent, useRef, useState } from 'react';
import { axisOf } from '../charts/level-chart.ts';
import { decibelText } from '../locale-format.ts';
import { thresholdInAddress } from '../state/event-rule.ts';
import { RANGE_DB, type Scale } from '../state/scale.ts';
import { changeView } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';

export function ThresholdHandle({ threshold, scale }: { threshold: number; scale: Scale }) {
  /** Covers the plot, so that heights in it are levels. */
  const track = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number>();
  const shown = dragged ?? threshold;
  const [quietest, loudest] = [scale.floor, scale.floor + RANGE_DB];
  const [least, most] = axisOf(scale);
  const stepped = (db: number) => Math.min(Math.max(Math.round(db * 2) / 2, quietest), loudest);
  const set = (db: number) =>
    changeView({ threshold: thresholdInAddress(stepped(db), scale.floor) }, { step: false });
  const levelAt = (clientY: number) => {
    const { top, height } = track.current?.getBoundingClientRect() ?? { top: 0, height: 1 };
    return most - ((clientY - top) / height) * (most - least);
  };
  /** The distance from the pointer to the threshold during a drag, in dB. */
  const held = useRef<number>(null);
  const letGo = () => {
    held.current = null;
    setDragged(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') return letGo();
    const levels: Readonly<Record<string, number>> = {
      ArrowUp: threshold + 0.5,
      ArrowRight: threshold + 0.5,
      ArrowDown: threshold - 0.5,
      ArrowLeft: threshold - 0.5,
      PageUp: threshold + 5,
      PageDown: threshold - 5,
      Home: quietest,
      End: loudest,
    };
    const next = levels[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };
  return (
    <div className="track" ref={track}>
      <div
        className="handle"
        role="slider"
        tabIndex={0}
        aria-label={texts.rule.handle}
        title={texts.rule.handleMeans}
        aria-orientation="vertical"
        aria-valuemin={quietest}
        aria-valuemax={loudest}
        aria-valuenow={shown}
        aria-valuetext={`${decibelText(shown)} ${scale.unit}`}
        style={{ top: `${((most - shown) / (most - least)) * 100}%` }}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          held.current = threshold - levelAt(event.clientY);
        }}
        onPointerMove={(event) => {
          if (held.current !== null) setDragged(stepped(levelAt(event.clientY) + held.current));
        }}
        onPointerUp={() => {
          if (dragged !== undefined) set(dragged);
          letGo();
        }}
        onPointerCancel={letGo}
      >
        <span>{decibelText(shown)}</span>
      </div>
    </div>
  );
}
