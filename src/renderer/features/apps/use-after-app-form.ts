import { useApp } from '../../platform/host-context.tsx';

/** Where the app forms lead: to the list, which is not for the web console (specification §2). */
export function useAfterAppForm(): string {
  const { kind } = useApp();
  return kind === 'web' ? '/dashboard' : '/apps';
}
