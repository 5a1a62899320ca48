import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PreferencesReply } from '#shared/host/contract.ts';
import type { Preferences } from '#shared/host/preferences.ts';
import { automaticMode } from '#shared/tunnel/route-config.ts';
import { failureText } from '../../api/api-failure.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { showError } from '../../ui/messages/toast.ts';

export interface PreferencesView {
  /** Includes changes that are about to take effect; undefined until the host, which stores them, has answered. */
  preferences: Preferences | undefined;
  busy: boolean;
  change: (wanted: Partial<Preferences>) => Promise<void>;
}

const queryKey = ['preferences'];

/**
 * The user's choices about how the tunnel and the app work. A change that fails is reverted, and the reason is shown.
 */
export function usePreferences(): PreferencesView {
  const host = useHost();
  const queries = useQueryClient();
  const explain = useFailureText();
  /** Changes that were clicked, until they take effect or fail. */
  const [pending, setPending] = useState<Partial<Preferences>>({});
  const clicks = useRef(0);
  const { data: current } = useQuery<Preferences>({
    queryKey,
    queryFn: () => host.preferences.get(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Changed in another window or in the tray, or reverted by the host.
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
    if (!reply.ok) showError(explain(reply, wanted));
    // Read again, because a change may have taken effect or failed meanwhile.
    const fresh = await host.preferences.get().catch(() => undefined);
    if (fresh) queries.setQueryData<Preferences>(queryKey, fresh);
    if (click === clicks.current) setPending({});
  };

  const busy = Object.keys(pending).length > 0;
  return { preferences: current && { ...current, ...pending }, busy, change };
}

function useFailureText() {
  const { t } = useTranslation();
  const automatic = automaticMode(useApp().routingModes);
  return (reply: Extract<PreferencesReply, { ok: false }>, { routing }: Partial<Preferences>): string => {
    if (reply.error === 'no-lists') {
      const isPac = routing === 'automatic' && automatic === 'pac';
      return failureText(reply.failure, t, isPac ? 'error.pac' : 'error.routing');
    }
    if (routing !== undefined) return t('error.routing');
    return t(reply.error === 'not-stored' ? 'error.storage' : 'error.setting');
  };
}
