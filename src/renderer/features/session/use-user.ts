import { useEffect } from 'react';
import { ApiCallFailed } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { useHost } from '../../platform/host-context.tsx';

/**
 * The signed-in user. If the service refuses and nobody is cached, the user counts as signed out (specification §8).
 */
export function useUser({ enabled = true }: { enabled?: boolean } = {}) {
  const host = useHost();
  const query = useApi('userInfo', { enabled });
  const refused =
    query.data === undefined &&
    query.error instanceof ApiCallFailed &&
    query.error.failure.kind === 'unauthorized';
  useEffect(() => {
    if (refused) void host.session.signOut({ by: 'service' });
  }, [host, refused]);
  return query;
}
