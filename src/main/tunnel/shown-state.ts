import { endedWithPlan, withPlan } from '#shared/plan/with-plan.ts';
import { mayBeGone } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createCaptivePortal, type CaptivePortal } from './captive-portal.ts';
import type { Destinations } from './destination.ts';
import type { HelperClient } from './helper-client.ts';

/** What users are shown of the tunnel: the helper's state, or what is shown in its place. */
export interface ShownState {
  /** What explains a tunnel that is not made. */
  readonly portal: CaptivePortal;
  get(): TunnelState;
  /** Emits it if it is another than the last that was emitted. */
  tell(): void;
  /** Shows this in the place of the helper's state: before the helper is asked, or why it never was. */
  show(state: TunnelState | undefined): void;
  /** The helper has another state; `isWorking`: while somebody signs in. */
  followHelper(state: TunnelState, isWorking: boolean): void;
  /** Whether it is shown that connecting has begun, in the place of the helper's state. */
  isConnecting(): boolean;
  /** There is another plan since the tunnel ended with the last one. */
  planRenewed(): void;
  /** Users know a gateway by the server that they chose, not by the target of its redirect. */
  withListedGateway(state: TunnelState): TunnelState;
}

export function createShownState(options: {
  helper: Pick<HelperClient, 'state'>;
  /** Whether this network has a captive portal that has not been passed yet. */
  isBehindPortal: () => Promise<boolean>;
  destinations: Pick<Destinations, 'at'>;
  emit(state: TunnelState): void;
}): ShownState {
  const { helper } = options;
  let local: TunnelState | undefined;
  let told: string | undefined;
  let isRenewed = false;
  const portal = createCaptivePortal({ isThere: options.isBehindPortal, onChange: tell });

  function get(): TunnelState {
    const state = helper.state();
    // What was missing is looked for only once the helper is asked to connect.
    const isTrying = local?.state === 'connecting' && state.state === 'invalid' && mayBeGone(state.cause);
    if ((state.state === 'invalid' && !isTrying) || state.ownedByOther) return state;
    return withPlan(portal.explain(withListedGateway(local ?? state)), isRenewed);
  }

  function withListedGateway(state: TunnelState): TunnelState {
    return 'gateway' in state ? { ...state, gateway: options.destinations.at(state.gateway).listed } : state;
  }

  function tell(): void {
    if (!endedWithPlan(local ?? helper.state())) isRenewed = false;
    const state = get();
    if (state.state === 'disconnected' && state.reason !== undefined) portal.consider(state);
    const text = JSON.stringify(state);
    if (text === told) return;
    told = text;
    options.emit(state);
  }

  return {
    portal,
    get,
    tell,
    withListedGateway,
    show(state) {
      local = state;
      tell();
    },
    followHelper(state, isWorking) {
      if (local?.state === 'disconnected') local = undefined;
      // It was displayed for a helper that is gone now.
      if (state.state === 'invalid' && !isWorking) local = undefined;
    },
    isConnecting: () => local?.state === 'connecting',
    planRenewed() {
      isRenewed = true;
    },
  };
}
