import { useQuery } from '@tanstack/react-query';
import type { RoutedProgram, RunningProgram } from '#shared/host/routed-programs.ts';
import { useLanguageTag } from '../../../i18n/language-context.tsx';
import { useHost } from '../../../platform/host-context.tsx';

/** While the page is visible, so that it shows what the user has just started or ended. */
const runningMs = 2000;

/** The programs for routing; searched again when somebody comes to choose. */
export function useInstalledPrograms() {
  const host = useHost();
  // The language of their names.
  const language = useLanguageTag();
  return useQuery<RoutedProgram[]>({
    queryKey: ['routed-programs', 'installed', language],
    queryFn: () => host.routedPrograms.list(),
    staleTime: 60_000,
  });
}

/** The running ones, by id. */
export function useRunningPrograms(): ReadonlyMap<string, RunningProgram> {
  const host = useHost();
  const { data = [] } = useQuery<RunningProgram[]>({
    queryKey: ['routed-programs', 'running'],
    queryFn: () => host.routedPrograms.running(),
    refetchInterval: runningMs,
  });
  return new Map(data.map((program) => [program.id, program]));
}
