/**
 * `#embed=figure`: the lab as a figure of somebody's page. No tabs, no tools; one handle (the slider of corrections, or
 * with `handle=3` the third point), one sentence, and the height of its content, which the page around is told.
 */

export interface Figure {
  /** The point that can be moved, counted from 0; null where the slider is the handle. */
  handle: number | null;
}

export function figureIn(hash: string): Figure | null {
  if (!/[#&]embed=figure(&|$)/.test(hash)) return null;
  const handle = /[#&]handle=(\d+)/.exec(hash);
  return { handle: handle ? Number(handle[1]) - 1 : null };
}

/** Dress the page as a figure, and tell the page around how high it is. */
export function frame(root: HTMLElement, { handle }: Figure): void {
  root.classList.add("figure", handle === null ? "by-slider" : "by-point");
  if (parent === window) return;
  new ResizeObserver(() => {
    parent.postMessage({ rosenblattHeight: Math.ceil(root.getBoundingClientRect().height) }, "*");
  }).observe(root);
}
