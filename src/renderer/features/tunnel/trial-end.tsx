import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { ServerGroup } from '#shared/entities.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import { useApi } from '../../api/use-api.ts';
import { useApp } from '../../platform/host-context.tsx';
import { useTunnel, useTunnelView } from './tunnel-context.tsx';
import { isGroupUsable, isServerAt, listServers } from '#shared/plan/usable-group.ts';

/** setTimeout's longest delay, in milliseconds; a longer one would fire at once. */
const longestDelay = 2 ** 31 - 1;

/**
 * On whatever page the user is: when the trial that carries the tunnel ends, so does the tunnel. The desktop app ends
 * it by itself; there only the list is brought up to date.
 */
export function TrialEnd() {
  const tunnel = useTunnel();
  const { kind } = useApp();
  const { truth } = useTunnelView();
  const { data: groups } = useApi('serverGroups');
  const { data: service, isPending: isServiceLoading } = useApi('myService');
  const queries = useQueryClient();

  const gateway = truth && 'gateway' in truth ? truth.gateway : undefined;
  const group = groups && gateway && carryingGroup(groups.items, gateway);
  // While the service is loading it is not known what the trial's end means.
  const endsAt = group?.isTrial && !isServiceLoading ? group.trialExpiredAt : null;

  const end = useEffectEvent(() => {
    void queries.invalidateQueries({ queryKey: ['serverGroups'] });
    if (kind === 'desktop') return;
    // A plan that could not be asked for is none that could go on where the trial ends.
    if (group && !(service && isGroupUsable(group, service, Date.now())))
      void tunnel.disconnect('trial-ended');
  });
  useEffect(() => {
    if (endsAt === null) return undefined;
    let timer: number;
    const wait = () => {
      const left = Math.max(0, Date.parse(endsAt) - Date.now());
      timer = left > longestDelay ? window.setTimeout(wait, longestDelay) : window.setTimeout(end, left);
    };
    wait();
    return () => clearTimeout(timer);
  }, [endsAt]);
  return null;
}

function carryingGroup(groups: ServerGroup[], gateway: Gateway): ServerGroup | undefined {
  return listServers(groups).find((server) => isServerAt(server, gateway))?.group;
}
