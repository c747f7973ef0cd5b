// The anchors of headings, in the style of code forges.

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** @returns a function that turns headings, in order, into anchors; a repeated heading gets a number */
export function createAnchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const anchor = anchorOf(heading);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
}
