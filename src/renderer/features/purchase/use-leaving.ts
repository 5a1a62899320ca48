import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { forgetAccount } from '../../api/account-answers.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';

interface Leaving {
  /** Whether another program shows the address, and this page stays. */
  outside: boolean;
  /** It must not be opened, or the host would not. */
  refused: boolean;
  /** Goes there, again. */
  leave: () => void;
}

/** Where to: an address, or what makes one each time that somebody leaves; undefined if it must not be opened. */
export type Destination = string | (() => Promise<string | undefined>);

/**
 * Sends the browser to an address outside of the app, once, as soon as it is known. An app has the system's
 * browser open it: its own window stays with the app.
 */
export function useLeaving(destination: Destination | undefined): Leaving {
  const host = useHost();
  const { kind } = useApp();
  const [refused, setRefused] = useState(false);
  const left = useRef(false);

  const leave = async () => {
    const address = typeof destination === 'function' ? await destination() : destination;
    if (address === undefined) {
      setRefused(true);
      return;
    }
    // Replaced, because going back to a page that leaves at once would be going nowhere.
    if (kind === 'web') {
      await forgetAccount(host.storage);
      location.replace(address);
    } else setRefused(!(await host.app.openExternal(address).catch(() => false)));
  };
  const leaveOnce = useEffectEvent(() => {
    if (left.current) return;
    left.current = true;
    void leave();
  });
  const isKnown = destination !== undefined;
  useEffect(() => {
    if (isKnown) leaveOnce();
  }, [isKnown]);
  return { outside: kind !== 'web', refused, leave: () => void leave() };
}
