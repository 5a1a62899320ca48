import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useStore } from 'zustand';
import type { ServerGroup } from '#shared/entities.ts';
import { maxTimerMs } from '#shared/timer-limit.ts';
import { useApi } from '../../api/use-api.ts';
import { serviceOffset } from '../../platform/service-time.ts';
import { useTunnelView } from './tunnel-context.tsx';
import { isServerAt, listServers, type SignInPlace } from '#shared/plan/usable-group.ts';

/** Updates the list when the tunnel's trial ends, whatever page the user is on. The host ends the tunnel. */
export function TrialEnd() {
  const { truth } = useTunnelView();
  const { data: groups } = useApi('serverGroups');
  const queries = useQueryClient();

  const gateway = truth && 'gateway' in truth ? truth.gateway : undefined;
  const group = groups && gateway && carryingGroup(groups.items, gateway);
  const endsAt = group?.isTrial ? group.trialExpiredAt : null;

  const offset = useStore(serviceOffset);

  const end = useEffectEvent(() => void queries.invalidateQueries({ queryKey: ['serverGroups'] }));
  useEffect(() => {
    if (endsAt === null) return undefined;
    let timer: number;
    const wait = () => {
      const left = Math.max(0, Date.parse(endsAt) - offset - Date.now());
      timer = left > maxTimerMs ? window.setTimeout(wait, maxTimerMs) : window.setTimeout(end, left);
    };
    wait();
    return () => clearTimeout(timer);
  }, [endsAt, offset]);
  return null;
}

function carryingGroup(groups: ServerGroup[], gateway: SignInPlace): ServerGroup | undefined {
  return listServers(groups).find((server) => isServerAt(server, gateway))?.group;
}
