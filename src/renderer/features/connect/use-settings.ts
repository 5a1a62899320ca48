import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserSettings } from '#shared/host/contract.ts';
import { useHost } from '../../platform/host-context.tsx';
import { showError } from '../../ui/toast.ts';

interface Settings {
  /** As they are, or are about to be; undefined until the host, which keeps them, has said what they are. */
  settings: UserSettings | undefined;
  busy: boolean;
  change: (name: keyof UserSettings, on: boolean) => Promise<void>;
}

const queryKey = ['settings'];

/** What the user has switched on or off. A switch that fails falls back, and says why. */
export function useSettings(): Settings {
  const { t } = useTranslation();
  const host = useHost();
  const queries = useQueryClient();
  /** What was clicked, until it holds or has failed. */
  const [pending, setPending] = useState<Partial<UserSettings>>({});
  const clicks = useRef(0);
  const { data: current } = useQuery<UserSettings>({
    queryKey,
    queryFn: () => host.settings.get(),
    staleTime: Number.POSITIVE_INFINITY,
  });

  const change = async (name: keyof UserSettings, on: boolean) => {
    clicks.current += 1;
    const click = clicks.current;
    setPending((before) => ({ ...before, [name]: on }));
    const result = await host.settings
      .set({ name, on })
      .catch(() => ({ ok: false, error: 'not-applied' }) as const);
    if (!result.ok) showError(t(result.error === 'not-stored' ? 'error.storage' : 'error.setting'));
    // Asked anew, since what was clicked meanwhile may have held or failed.
    const fresh = await host.settings.get().catch(() => undefined);
    if (fresh) queries.setQueryData<UserSettings>(queryKey, fresh);
    if (click === clicks.current) setPending({});
  };

  const busy = Object.keys(pending).length > 0;
  return { settings: current && { ...current, ...pending }, busy, change };
}
