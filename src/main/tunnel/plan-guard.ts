import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { ServiceClock } from '#shared/api/service-clock.ts';
import type { Deadline } from '#shared/helper/protocol.ts';
import { endedWithPlan } from '#shared/plan/with-plan.ts';
import type { DisconnectReason, Gateway, TunnelState } from '#shared/tunnel/state.ts';
import { startWatch } from '../after-time.ts';
import type { AccountPlan } from './account-plan.ts';
import type { Destination, Destinations } from './destination.ts';
import type { HelperClient } from './helper-client.ts';

/**
 * Ends the tunnel when the trial or plan ends, even if no page is open. The helper keeps the deadline; this moves it
 * when the service says something else. Asking the service also ends the tunnel of a revoked device.
 */
export interface PlanGuard {
  /** When a connection to it has to end; called for each new connection. */
  deadline(destination: Destination): Deadline | undefined;
  close(): void;
}

export interface PlanGuardOptions {
  plan: AccountPlan;
  helper: HelperClient;
  clock: Pick<ServiceClock, 'now' | 'offset' | 'onChange'>;
  destinations: Pick<Destinations, 'at'>;
  /** Ends the tunnel. */
  end: (reason: DisconnectReason) => void;
  /** The plan with which the helper has just ended the tunnel had been renewed: it may come back. */
  comeBack?: () => void;
  log: Logger;
}

const checkMs = 60_000;
const maxPlanAgeMs = 5 * 60_000;
/** This close to the deadline, the service is asked at each check, because the user may have bought a plan. */
const closeMs = 3 * 60_000;
/** What the service has said this shortly before it is asked whether everything is over. */
const minEndAgeMs = 5000;
/** While a computer sleeps, nobody asks whether the plan is renewed. After it, there is a network within this time. */
const comeBackMs = 3 * 60_000;

export function createPlanGuard(options: PlanGuardOptions): PlanGuard {
  const { plan, helper, clock, destinations, end, log } = options;
  /** The deadline that the helper has for the connection; null: not known. */
  let sent: Deadline | undefined | null = null;
  let isAsking = false;
  let last: Gateway | undefined;
  /** Where the tunnel led that the helper has ended with its plan, and for how long there has been none. */
  let over: { gateway: Gateway; ms: () => number } | undefined;

  const destination = () => {
    const state = helper.state();
    if (state.ownedByOther || (state.state !== 'connected' && state.state !== 'connecting')) return undefined;
    return destinations.at(state.gateway);
  };

  const deadlineOf = ({ listed }: Destination) => {
    const entitlement = plan.entitlementTo(listed);
    return entitlement?.kind === 'usable' ? entitlement.deadline : undefined;
  };

  /** The helper only knows this computer's clock. */
  const here = (deadline: Deadline | undefined) =>
    deadline && { ...deadline, at: Math.max(0, deadline.at - clock.offset()) };

  function follow(state: TunnelState): void {
    if (!state.ownedByOther && 'gateway' in state) last = state.gateway;
    const isEnded = !state.ownedByOther && endedWithPlan(state);
    if (!isEnded) over = undefined;
    if (!isEnded || over || !last) return;
    over = { gateway: last, ms: startWatch() };
    // Also if the service has said so just before.
    void plan.refresh(minEndAgeMs).then(comeBackIfRenewed);
  }

  const isJustOver = () => over !== undefined && over.ms() < comeBackMs;

  function comeBackIfRenewed(): void {
    const entitlement = over && plan.entitlementTo(destinations.at(over.gateway).listed);
    if (!isJustOver() || entitlement?.kind !== 'usable') return;
    // By another clock, the end may not be there yet.
    if ((entitlement.deadline?.at ?? Infinity) < clock.now() + closeMs) return;
    over = undefined;
    log.info('the plan was renewed, and the tunnel comes back');
    options.comeBack?.();
  }

  function apply(): void {
    comeBackIfRenewed();
    const to = destination();
    const entitlement = to && plan.entitlementTo(to.listed);
    if (entitlement?.kind === 'ended') void endUnlessRenewed();
    if (entitlement?.kind !== 'usable') return;
    const deadline = here(entitlement.deadline);
    if (sent !== null && isDeepStrictEqual(sent, deadline)) return;
    sent = deadline;
    helper.call('setDeadline', { deadline: deadline ?? null }).catch((error: unknown) => {
      // The connection has ended meanwhile; the next one gets its own deadline.
      sent = null;
      log.info({ err: error }, 'the deadline cannot be moved');
    });
  }

  /** The service may have said something else since, and this computer's clock may have been set. */
  async function endUnlessRenewed(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    await plan.refresh(minEndAgeMs).finally(() => {
      isAsking = false;
    });
    const to = destination();
    const entitlement = to && plan.entitlementTo(to.listed);
    if (entitlement?.kind === 'ended') end(entitlement.reason);
    else apply();
  }

  function refresh(): void {
    if (isJustOver()) void plan.refresh(checkMs / 2);
    const to = destination();
    if (!to || helper.state().state !== 'connected') return;
    const left = (deadlineOf(to)?.at ?? Infinity) - clock.now();
    void plan.refresh(left < closeMs ? checkMs / 2 : maxPlanAgeMs);
  }

  helper.onState((now) => {
    const { state } = now;
    follow(now);
    if (state === 'invalid') sent = null;
    if (state === 'connecting' || state === 'connected') apply();
    refresh();
  });
  plan.onChange(apply);
  clock.onChange(apply);
  const timer = setInterval(refresh, checkMs);
  timer.unref();

  return {
    deadline(to) {
      sent = here(deadlineOf(to));
      return sent;
    },
    close: () => clearInterval(timer),
  };
}
