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
 * Whether a page of another origin can be loaded in time, in a hidden frame. The frame is an `object`: an `iframe`
 * reports that it has loaded even if it shows an error page, whereas an `object` then fires `error` (HTML, 4.8.7).
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
