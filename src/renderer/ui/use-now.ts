import { useEffect, useState } from 'react';

/** The time, in milliseconds since the Unix epoch, told anew every so many seconds while the page can be seen. */
export function useNow(everySeconds: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tell = () => {
      if (document.visibilityState === 'visible') setNow(Date.now());
    };
    const timer = setInterval(tell, everySeconds * 1000);
    document.addEventListener('visibilitychange', tell);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tell);
    };
  }, [everySeconds]);
  return now;
}
