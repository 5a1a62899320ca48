import { useApp } from '../../platform/host-context.tsx';

/**
 * Where to go after the forms: to the list, or elsewhere in the web console, which does not have it (specification
 * §2).
 */
export function useAfterMiniAppForm(): string {
  const { kind } = useApp();
  return kind === 'web' ? '/dashboard' : '/apps';
}
