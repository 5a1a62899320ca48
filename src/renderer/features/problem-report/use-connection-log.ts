import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ConnectionLogEntry } from '#shared/tunnel/connection-log.ts';
import { useHost } from '../../platform/host-context.tsx';

const queryKey = ['connection-log'];

/** What happened to the connection, oldest first; undefined until the host has answered. */
export function useConnectionLog(): readonly ConnectionLogEntry[] | undefined {
  const host = useHost();
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey, queryFn: () => host.connectionLog.get() });
  useEffect(
    () => host.connectionLog.changed((entries) => queries.setQueryData(queryKey, entries)),
    [host, queries],
  );
  return data;
}
