import type { ServiceClock } from '#shared/api/service-clock.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import type { AllowedUntil, WebviewApp } from '#shared/host/webview-contract.ts';
import type { Entitlement } from '#shared/plan/gateway-entitlement.ts';
import type { SignInPlace } from '#shared/plan/usable-group.ts';
import { maxTimerMs } from '#shared/timer-limit.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import type { Gateway, TunnelState } from '#shared/tunnel/state.ts';
import type { WebviewLogins } from './webview-logins.ts';
import type { WebviewPlan } from './webview-plan.ts';

/**
 * The tunnel of the app around a webview. The app is told until when it may be up: on connecting, and again whenever
 * the service says something else. The app then ends it, even without the page; the page, if it is open, ends it, too.
 */
export function createWebviewTunnel(
  app: WebviewApp['tunnel'],
  plan: WebviewPlan,
  logins: WebviewLogins,
  clock: Pick<ServiceClock, 'now' | 'offset' | 'onChange'>,
): HostImplementation['tunnel'] {
  let gateway: Gateway | undefined;
  /** The end that this page has told the app; undefined: none yet. */
  let sent: AllowedUntil | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function allowedUntil(at: Gateway): AllowedUntil {
    const entitlement = plan.entitlementTo(at);
    return (entitlement?.kind === 'usable' && here(entitlement.deadline)) || null;
  }

  /** The app only knows this device's clock. */
  const here = (until: AllowedUntil | undefined): AllowedUntil =>
    until ? { ...until, at: Math.max(0, until.at - clock.offset()) } : null;

  /** Nobody should wait for an unreachable service to repeat what it told an earlier page. */
  async function entitlementNow(place: SignInPlace): Promise<Entitlement | undefined> {
    if (plan.isKnown()) return plan.entitlementTo(place);
    const refreshed = plan.refresh();
    const stored = await plan.storedEntitlementTo(place);
    if (stored?.kind === 'usable') return stored;
    await refreshed;
    return plan.entitlementTo(place) ?? stored;
  }

  function follow(state: TunnelState): void {
    gateway = 'gateway' in state ? state.gateway : undefined;
    if (gateway === undefined) sent = undefined;
    apply({ isNews: false });
  }

  /** `isNews`: the service has just said this. */
  function apply({ isNews }: { isNews: boolean }): void {
    clearTimeout(timer);
    const entitlement = gateway && plan.entitlementTo(gateway);
    if (!gateway || !entitlement || entitlement.kind === 'not-listed') return;
    if (entitlement.kind === 'ended') {
      // Otherwise, it may have said something else since, and this device's clock may have been set.
      return isNews ? end(entitlement.reason) : void endUnlessRenewed(entitlement);
    }
    const until = allowedUntil(gateway);
    // Without all answers of the service, this means nothing.
    if (until === null && !plan.isKnown()) return;
    if (sent === undefined || JSON.stringify(sent) !== JSON.stringify(until)) {
      sent = until;
      // An app that does not know this message leaves it to the page.
      app.setAllowedUntil({ allowedUntil: until }).catch(() => undefined);
    }
    if (until) wait(until);
  }

  function wait(until: NonNullable<AllowedUntil>): void {
    const left = Math.max(0, until.at - Date.now());
    timer = setTimeout(
      () => (left > maxTimerMs ? wait(until) : void endUnlessRenewed(until)),
      Math.min(left, maxTimerMs),
    );
  }

  /** If the plan cannot be read, nothing continues after the trial's end. */
  async function endUnlessRenewed({ reason }: Pick<NonNullable<AllowedUntil>, 'reason'>): Promise<void> {
    await plan.refresh();
    if (!gateway) return;
    if (plan.isKnown() && plan.entitlementTo(gateway)?.kind === 'usable') apply({ isNews: true });
    else end(reason);
  }

  function end(reason: NonNullable<AllowedUntil>['reason']): void {
    // Once, until the app reports that there still is a tunnel.
    gateway = undefined;
    app.disconnect({ reason }).catch(() => undefined);
  }

  plan.onChange(() => apply({ isNews: true }));
  clock.onChange(() => apply({ isNews: false }));
  app.stateChanged(follow);

  return {
    async connect({ address }) {
      const server = parseServerAddress(address);
      if (!server) return { ok: false, error: 'bad-address' };
      const place = { ...server.gateway, path: server.path };
      const entitlement = await entitlementNow(place);
      if (entitlement?.kind === 'ended' || entitlement?.kind === 'not-listed') {
        return { ok: false, error: 'not-listed' };
      }
      const login = await logins.at(address);
      sent = here(entitlement?.deadline);
      return await app.connect({ address, allowedUntil: sent, login });
    },
    disconnect: () => app.disconnect({}),
    snapshot: () => app.snapshot(),
    statistics: () => app.statistics(),
  };
}
