import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RouteConfig } from '#shared/tunnel/route-config.ts';
import { errorText } from '../../api/api-failure.ts';
import { useFetchApi } from '../../api/use-api.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { showError } from '../../ui/toast.ts';
import { automaticConfig, automaticMode, type RouteChoice } from './route-choice.ts';

interface Routing {
  /** What is chosen, or about to be; undefined until the host, which keeps it, has said what it is. */
  choice: RouteChoice | undefined;
  busy: boolean;
  choose: (choice: RouteChoice) => Promise<void>;
}

const queryKey = ['routing'];

/** The choice between all traffic and what the service says belongs in the tunnel; undefined without one. */
export function useRouting(): Routing | undefined {
  const { t } = useTranslation();
  const host = useHost();
  const automatic = automaticMode(useApp().routingModes);
  const fetchApi = useFetchApi();
  const queries = useQueryClient();
  /** What was clicked, until it holds or has failed. */
  const [pending, setPending] = useState<RouteChoice>();
  /** How often the user has chosen: what was begun for an earlier choice no longer counts. */
  const choices = useRef(0);
  const { data: current } = useQuery<RouteConfig>({
    queryKey,
    queryFn: () => host.routing.get(),
    enabled: automatic !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });

  const apply = async (config: RouteConfig) => {
    const done = await host.routing.set(config).catch(() => false);
    if (done) queries.setQueryData<RouteConfig>(queryKey, config);
    return done;
  };
  const configFor = async (choice: RouteChoice): Promise<RouteConfig> =>
    choice === 'automatic' && automatic
      ? await automaticConfig(automatic, host, fetchApi)
      : { mode: 'global' };

  const choose = async (choice: RouteChoice) => {
    if (pending !== undefined) return;
    choices.current += 1;
    setPending(choice);
    try {
      const config = await configFor(choice);
      if (!(await apply(config))) showError(t('error.routing'));
    } catch (error) {
      const otherwise = automatic === 'pac' ? 'error.pac' : 'error.routing';
      showError(error instanceof Error ? errorText(error, t, otherwise) : t(otherwise));
    }
    setPending(undefined);
  };

  /** Apps come and go, and lists change: what was chosen is brought up to date, without a word. */
  const update = useEffectEvent(async () => {
    const choicesBefore = choices.current;
    const fresh = await configFor('automatic').catch(() => undefined);
    if (choices.current !== choicesBefore) return;
    if (fresh && JSON.stringify(fresh) !== JSON.stringify(current)) await apply(fresh);
  });
  const isAutomatic = current !== undefined && current.mode === automatic;
  useEffect(() => {
    if (isAutomatic) void update();
  }, [isAutomatic]);

  if (automatic === undefined) return undefined;
  const chosen = current && (current.mode === 'global' ? 'global' : 'automatic');
  return { choice: pending ?? chosen, busy: pending !== undefined, choose };
}
