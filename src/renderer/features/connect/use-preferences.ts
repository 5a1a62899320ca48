import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Preferences, PreferencesReply } from '#shared/host/contract.ts';
import { useHost } from '../../platform/host-context.tsx';

interface PreferencesView {
  /** As they are, or are about to be; undefined until the host, which keeps them, has said what they are. */
  preferences: Preferences | undefined;
  busy: boolean;
  change: (wanted: Partial<Preferences>) => Promise<void>;
}

const queryKey = ['preferences'];

/** What the user has chosen of how the tunnel works. A choice that fails falls back, and `onFailure` says why. */
export function usePreferences(
  onFailure: (reply: Extract<PreferencesReply, { ok: false }>) => void,
): PreferencesView {
  const host = useHost();
  const queries = useQueryClient();
  /** What was clicked, until it holds or has failed. */
  const [pending, setPending] = useState<Partial<Preferences>>({});
  const clicks = useRef(0);
  const { data: current } = useQuery<Preferences>({
    queryKey,
    queryFn: () => host.preferences.get(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Chosen in another window, or given up by the host.
  useEffect(
    () => host.preferences.changed((now) => queries.setQueryData<Preferences>(queryKey, now)),
    [host, queries],
  );

  const change = async (wanted: Partial<Preferences>) => {
    clicks.current += 1;
    const click = clicks.current;
    setPending((before) => ({ ...before, ...wanted }));
    const reply = await host.preferences
      .set(wanted)
      .catch(() => ({ ok: false, error: 'not-applied' }) as const);
    if (!reply.ok) onFailure(reply);
    // Asked anew, since what was clicked meanwhile may have held or failed.
    const fresh = await host.preferences.get().catch(() => undefined);
    if (fresh) queries.setQueryData<Preferences>(queryKey, fresh);
    if (click === clicks.current) setPending({});
  };

  const busy = Object.keys(pending).length > 0;
  return { preferences: current && { ...current, ...pending }, busy, change };
}
