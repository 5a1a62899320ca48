import { useQuery } from '@tanstack/react-query';
import type { RoutedApp, RunningApp } from '#shared/host/routed-programs.ts';
import { useLanguageTag } from '../../../i18n/language-context.tsx';
import { useHost } from '../../../platform/host-context.tsx';

/** While the page is visible, so that it shows what the user has just started or ended. */
const runningMs = 2000;

/** The applications for routing; searched again when somebody comes to choose. */
export function useInstalledApps() {
  const host = useHost();
  // The language of their names.
  const language = useLanguageTag();
  return useQuery<RoutedApp[]>({
    queryKey: ['routed-apps', 'installed', language],
    queryFn: () => host.routedApps.list(),
    staleTime: 60_000,
  });
}

/** The running ones, by id. */
export function useRunningApps(): ReadonlyMap<string, RunningApp> {
  const host = useHost();
  const { data = [] } = useQuery<RunningApp[]>({
    queryKey: ['routed-apps', 'running'],
    queryFn: () => host.routedApps.running(),
    refetchInterval: runningMs,
  });
  return new Map(data.map((app) => [app.id, app]));
}
