import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { ServerGroup } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { useTunnel, useTunnelView } from './tunnel-context.tsx';
import { isGroupUsable, listServers } from './usable-group.ts';

/** setTimeout's longest delay, in milliseconds; a longer one would fire at once. */
const longestDelay = 2 ** 31 - 1;

/** On whatever page the user is: when the trial that carries the tunnel ends, so does the tunnel. */
export function TrialEnd() {
  const tunnel = useTunnel();
  const { truth } = useTunnelView();
  const { data: groups } = useApi('serverGroups');
  const { data: service } = useApi('myService');
  const queries = useQueryClient();

  const gatewayHost = truth && 'gateway' in truth ? truth.gateway.host : undefined;
  const group = groups && carryingGroup(groups.items, gatewayHost);
  // While the service is loading it is not known what the trial's end means.
  const endsAt = group?.isTrial && service ? group.trialExpiredAt : null;

  const end = useEffectEvent(() => {
    void queries.invalidateQueries({ queryKey: ['serverGroups'] });
    if (group && !isGroupUsable(group, service, Date.now())) void tunnel.disconnect('trial-ended');
  });
  useEffect(() => {
    if (endsAt === null) return undefined;
    const delay = Math.max(0, Date.parse(endsAt) - Date.now());
    if (delay > longestDelay) return undefined;
    const timer = setTimeout(end, delay);
    return () => clearTimeout(timer);
  }, [endsAt]);
  return null;
}

function carryingGroup(groups: ServerGroup[], gatewayHost: string | undefined): ServerGroup | undefined {
  return listServers(groups).find(({ domain }) => domain === gatewayHost)?.group;
}
