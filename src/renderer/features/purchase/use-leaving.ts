import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { forgetAccount } from '../../api/account-answers.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';

interface Leaving {
  /** Whether another program shows the address, while this page stays. */
  outside: boolean;
  /** The address must not be opened, or the host refused. */
  refused: boolean;
  /** Redirects, or redirects again. */
  leave: () => void;
}

/** The target: an address, or a function that creates one for each redirect; undefined if it must not be opened. */
export type LeavingTarget = string | (() => Promise<string | undefined>);

/**
 * Sends the browser to an external address, once, as soon as it is known. In an app, the system's browser opens it, and
 * the app's window stays.
 */
export function useLeaving(target: LeavingTarget | undefined): Leaving {
  const host = useHost();
  const { kind } = useApp();
  const [refused, setRefused] = useState(false);
  const left = useRef(false);

  const leave = async () => {
    const address = typeof target === 'function' ? await target() : target;
    if (address === undefined) {
      setRefused(true);
      return;
    }
    // Replaced, because going back to this page would redirect again.
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
  const isKnown = target !== undefined;
  useEffect(() => {
    if (isKnown) leaveOnce();
  }, [isKnown]);
  return { outside: kind !== 'web', refused, leave: () => void leave() };
}
