import { connectivityProbe } from '#shared/constants.ts';
import classes from './probe-frame.module.css';

/** Whether one of these pages can be loaded. */
export async function isAnyLoaded(pages: readonly string[]): Promise<boolean> {
  const loaded = await Promise.all(
    pages.map((page) => loadsInFrame(page, connectivityProbe.frameTimeoutSeconds)),
  );
  return loaded.includes(true);
}

/**
 * Whether a page of another origin can be loaded in time, in a hidden frame. The frame is an `object`, because
 * of an `iframe` browsers say that it has loaded whether it shows the page or an error in its place; an
 * `object` fires `error` then (HTML, 4.8.7).
 */
function loadsInFrame(url: string, timeoutSeconds: number): Promise<boolean> {
  const frame = document.createElement('object');
  frame.type = 'text/html';
  frame.data = url;
  frame.className = classes.frame ?? '';
  frame.tabIndex = -1;
  frame.ariaHidden = 'true';
  return new Promise((resolve) => {
    const settle = (loaded: boolean) => {
      clearTimeout(timer);
      frame.remove();
      resolve(loaded);
    };
    const timer = setTimeout(() => settle(false), timeoutSeconds * 1000);
    frame.addEventListener('load', () => settle(true), { once: true });
    frame.addEventListener('error', () => settle(false), { once: true });
    document.body.append(frame);
  });
}
