// The handle of the threshold beside the level chart. It is dragged, or moved by arrow keys in steps of 0.5 dB.
import { type KeyboardEvent, useRef, useState } from 'react';
import type { Scale } from '../../contract/shown-scale.ts';
import { LEAST_DB, MOST_DB } from '../charts/level-chart.ts';
import { settingText } from '../locale-format.ts';
import { changeView, LOUDEST, QUIETEST } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';

export function ThresholdHandle({ threshold, scale }: { threshold: number; scale: Scale }) {
  /** Covers the plot, so heights in it are levels. */
  const track = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number>();
  const shown = dragged ?? threshold;
  const stepped = (db: number) => Math.min(Math.max(Math.round(db * 2) / 2, QUIETEST), LOUDEST);
  const set = (db: number) => changeView({ threshold: stepped(db) }, { step: false });
  const levelAt = (clientY: number) => {
    const { top, height } = track.current?.getBoundingClientRect() ?? { top: 0, height: 1 };
    return MOST_DB - ((clientY - top) / height) * (MOST_DB - LEAST_DB);
  };
  /** How far the threshold is above the pointer while it is dragged, in dB. */
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
      Home: QUIETEST,
      End: LOUDEST,
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
        aria-valuemin={QUIETEST + scale.offset}
        aria-valuemax={LOUDEST + scale.offset}
        aria-valuenow={shown + scale.offset}
        aria-valuetext={`${settingText(shown, scale)} ${scale.unit}`}
        style={{ top: `${((MOST_DB - shown) / (MOST_DB - LEAST_DB)) * 100}%` }}
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
        <span>{settingText(shown, scale)}</span>
      </div>
    </div>
  );
}
