import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Deadline } from '#shared/helper/protocol.ts';
import type { DisconnectReason, Gateway } from '#shared/tunnel/state.ts';
import type { AccountPlan } from './account-plan.ts';
import type { HelperClient } from './helper-client.ts';

/**
 * Ends the tunnel when the trial or plan ends, even if no page is open. The helper keeps the deadline; this moves it
 * when the service says something else. Asking the service also ends the tunnel of a revoked device.
 */
export interface PlanGuard {
  /** When a connection to this gateway has to end; called for each new connection. */
  deadline(gateway: Gateway): Deadline | undefined;
  close(): void;
}

export interface PlanGuardOptions {
  plan: AccountPlan;
  helper: HelperClient;
  /** The listed gateway that redirected to this one. */
  listed: (gateway: Gateway) => Gateway;
  /** Ends the tunnel. */
  end: (reason: DisconnectReason) => void;
  log: Logger;
}

const checkMs = 60_000;
const maxPlanAgeMs = 5 * 60_000;
/** This close to the deadline, the service is asked at each check, because the user may have bought a plan. */
const closeMs = 3 * 60_000;

export function createPlanGuard({ plan, helper, listed, end, log }: PlanGuardOptions): PlanGuard {
  /** The deadline that the helper has for the connection; null: not known. */
  let sent: Deadline | undefined | null = null;

  const gateway = () => {
    const state = helper.state();
    if (state.ownedByOther) return undefined;
    return state.state === 'connected' || state.state === 'connecting' ? state.gateway : undefined;
  };

  const deadlineOf = (at: Gateway) => {
    const entitlement = plan.entitlementTo(listed(at));
    return entitlement?.kind === 'usable' ? entitlement.deadline : undefined;
  };

  function apply(): void {
    const at = gateway();
    const entitlement = at && plan.entitlementTo(listed(at));
    if (entitlement?.kind === 'ended') end(entitlement.reason);
    if (entitlement?.kind !== 'usable') return;
    const { deadline } = entitlement;
    if (sent !== null && isDeepStrictEqual(sent, deadline)) return;
    sent = deadline;
    helper.call('setDeadline', { deadline: deadline ?? null }).catch((error: unknown) => {
      // The connection has ended meanwhile; the next one gets its own deadline.
      sent = null;
      log.info({ err: error }, 'the deadline cannot be moved');
    });
  }

  function refresh(): void {
    const at = gateway();
    if (!at || helper.state().state !== 'connected') return;
    const left = (deadlineOf(at)?.at ?? Infinity) - Date.now();
    void plan.refresh(left < closeMs ? checkMs / 2 : maxPlanAgeMs);
  }

  helper.onState(({ state }) => {
    if (state === 'invalid') sent = null;
    if (state === 'connecting' || state === 'connected') apply();
    refresh();
  });
  plan.onChange(apply);
  const timer = setInterval(refresh, checkMs);
  timer.unref();

  return {
    deadline(at) {
      sent = deadlineOf(at);
      return sent;
    },
    close: () => clearInterval(timer),
  };
}
