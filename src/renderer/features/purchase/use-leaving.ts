import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { forgetAccount } from '../../api/account-answers.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';

interface Leaving {
  /** Whether another program shows the address, and this page stays. */
  outside: boolean;
  /** The host would not open it. */
  refused: boolean;
  /** Goes there, again. */
  leave: () => void;
}

/**
 * Sends the browser to an address outside of the app, once, as soon as it is known. An app has the system's
 * browser open it: its own window stays with the app.
 */
export function useLeaving(address: string | undefined): Leaving {
  const host = useHost();
  const { kind } = useApp();
  const [refused, setRefused] = useState(false);
  const left = useRef(false);

  const leave = async () => {
    if (address === undefined) return;
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
  useEffect(() => {
    if (address !== undefined) leaveOnce();
  }, [address]);
  return { outside: kind !== 'web', refused, leave: () => void leave() };
}
