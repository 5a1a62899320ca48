import { useEffect, useState } from 'react';

/** The time in milliseconds since the Unix epoch, updated at this interval while the page is visible. */
export function useNow(everySeconds: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const tell = () => setNow(Date.now());
    const start = () => {
      timer = setInterval(tell, everySeconds * 1000);
    };
    // A hidden page does not even wake up.
    const follow = () => {
      clearInterval(timer);
      if (document.visibilityState !== 'visible') return;
      tell();
      start();
    };
    if (document.visibilityState === 'visible') start();
    document.addEventListener('visibilitychange', follow);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', follow);
    };
  }, [everySeconds]);
  return now;
}
