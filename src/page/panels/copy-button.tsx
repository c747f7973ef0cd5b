// A button that copies a text, and confirms it for two seconds.
import { useState } from 'react';
import { texts } from '../texts/texts.ts';

interface Props {
  readonly text: () => string;
  readonly className?: string;
  readonly children: string;
}

export function CopyButton({ text, className, children }: Props) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (button: HTMLElement) => {
    await copyText(text(), button);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" className={className} onClick={({ currentTarget }) => copy(currentTarget)}>
      <span aria-live="polite">{isCopied ? texts.menu.copied : children}</span>
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
