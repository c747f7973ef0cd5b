// The header of the page: the station, its state, and the actions for the whole page.
import { useState } from 'react';
import { levelText, NOTHING, stateText, timeText } from './locale-format.ts';
import { useOneTabStop } from './panels/keyboard-focus.ts';
import { PageMenu } from './panels/page-menu.tsx';
import { type ShownState, useLiveLevel } from './state/live-level.ts';
import type { useReport } from './state/report.ts';
import { pageTitle } from './state/service-url.ts';
import type { Shown } from './state/shown.ts';
import { stillAddress } from './state/shown-interval.ts';
import { type Info, scaleNow } from './state/site.ts';
import { StationMenu } from './stations/station-menu.tsx';
import { texts } from './texts/texts.ts';

interface Props {
  /** Undefined while unknown. */
  readonly info: Info | undefined;
  readonly shown: Shown | undefined;
  readonly state: ShownState;
  readonly isLive: boolean;
  readonly report: ReturnType<typeof useReport>;
}

export function Header({ info, shown, state, isLive, report }: Props) {
  const name = pageTitle(info);
  const stops = useOneTabStop<HTMLDivElement>(':scope > button');
  return (
    <header className="top">
      <h1>
        <StationMenu name={name} />
      </h1>
      <State of={state} info={info} />
      {info && <LevelNow info={info} isLive={isLive} isRecording={state.state === 'recording'} />}
      <div className="group" role="toolbar" aria-label={texts.menu.page} {...stops}>
        {shown && <Actions className="wide" shown={shown} report={report} />}
        <PageMenu info={info}>
          {shown && <Actions className="narrow" shown={shown} report={report} />}
        </PageMenu>
      </div>
    </header>
  );
}

/** In the header, or in the menu if the header is narrow. */
function Actions({ className, shown, report }: { className: string; shown: Shown } & Pick<Props, 'report'>) {
  return (
    <>
      <ShareButton className={className} shown={shown} />
      <button type="button" className={className} title={texts.menu.reportMeans} onClick={report.print}>
        {texts.menu.report}
        {report.isWaiting && ' …'}
      </button>
    </>
  );
}

function State({ of: { state, newest }, info }: { of: ShownState; info: Info | undefined }) {
  const isDay = newest !== null && timeText(newest, 'day') === timeText(Date.now(), 'day');
  const time = newest === null ? '' : timeText(newest, isDay ? 'seconds' : 'minute');
  const why = info?.recorder?.last_exit?.reason ?? '';
  return (
    <p className={`state ${state}`} role="status" title={state === 'offline' ? why : undefined}>
      {stateText(state, info?.ahead_until)}{' '}
      <span aria-live="off">{state === 'recording' ? time : time && texts.since(time)}</span>
    </p>
  );
}

function LevelNow({ info, isLive, isRecording }: { info: Info; isLive: boolean; isRecording: boolean }) {
  const { point } = useLiveLevel(isLive);
  const scale = scaleNow(info, Date.now());
  const level = isRecording && point ? point.rms_db : null;
  return (
    <p className="now">
      <strong>{level === null ? NOTHING : levelText(level, scale)}</strong> {scale.unit}{' '}
      <span className="wide">{texts.cards.now}</span>
    </p>
  );
}

/** Copies the address of the interval on screen, and confirms it for two seconds. */
function ShareButton({ className, shown }: { className: string; shown: Shown }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (button: HTMLElement) => {
    await copyText(stillAddress(shown.view, shown.interval), button);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" className={className} onClick={({ currentTarget }) => copy(currentTarget)}>
      <span aria-live="polite">{isCopied ? texts.menu.copied : texts.menu.share}</span>
    </button>
  );
}

/** @param beside is in the top layer, because text behind an open menu cannot be selected */
async function copyText(text: string, beside: HTMLElement): Promise<void> {
  // over plain HTTP, as in a local network, there is no navigator.clipboard
  const isWritten = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false, // the page may be in a frame without permission
  );
  if (isWritten) return;
  const area = document.createElement('textarea');
  area.value = text;
  beside.after(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
