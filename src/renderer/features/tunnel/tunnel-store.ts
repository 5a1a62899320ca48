import { createStore, type StoreApi } from 'zustand/vanilla';
import { predictionSeconds, tunnelPollSeconds } from '#shared/constants.ts';
import type { Server } from '#shared/entities.ts';
import type { Host } from '#shared/host/contract.ts';
import { parseServerAddress, serverAddress } from '#shared/tunnel/address.ts';
import type { ConnectRefusal } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { PageVisibility } from '../../platform/page-visibility.ts';
import { whileVisible } from '../../platform/while-visible.ts';

export interface TunnelView {
  /** The state from the host; undefined until it has reported one. */
  truth: TunnelState | undefined;
  /** The most likely result of a click: displayed until the real state confirms it, or its time is over. */
  prediction: TunnelState | undefined;
  refusal: ConnectRefusal | undefined;
}

export interface Tunnel {
  store: StoreApi<TunnelView>;
  /**
   * Subscribes, then reads once, and again every few seconds while the page is visible and when it becomes so, in case
   * events were lost, e.g. because the page was suspended.
   */
  start(): void;
  stop(): void;
  connect(
    server: Pick<Server, 'serverId' | 'protocol' | 'domain' | 'port' | 'path'> | undefined,
  ): Promise<void>;
  disconnect(): Promise<void>;
}

export const shownState = (view: TunnelView): TunnelState | undefined => view.prediction ?? view.truth;

export function createTunnelStore(host: Host['tunnel'], visibility: PageVisibility): Tunnel {
  const store = createStore<TunnelView>(() => ({
    truth: undefined,
    prediction: undefined,
    refusal: undefined,
  }));
  let events = 0;
  let truthAtClick: TunnelState | undefined;
  let expiry: ReturnType<typeof setTimeout> | undefined;
  let stopAll: (() => void) | undefined;

  const dropPrediction = () => {
    clearTimeout(expiry);
    store.setState({ prediction: undefined });
  };
  const learn = (truth: TunnelState) => {
    // A repeated state must not draw the page again.
    if (!isSame(truth, store.getState().truth)) store.setState({ truth });
    const { prediction } = store.getState();
    if (prediction && confirms(truth, prediction, truthAtClick)) dropPrediction();
  };
  const predict = (prediction: TunnelState) => {
    clearTimeout(expiry);
    truthAtClick = store.getState().truth;
    store.setState({ prediction, refusal: undefined });
    expiry = setTimeout(dropPrediction, predictionSeconds * 1000);
  };
  const refuse = (refusal: ConnectRefusal) => {
    dropPrediction();
    store.setState({ refusal });
  };
  const resync = async () => {
    const eventsBefore = events;
    try {
      const snapshot = await host.snapshot();
      // An event that arrived meanwhile may be newer than this answer.
      if (events === eventsBefore) learn(snapshot);
    } catch {
      // The host could not answer; the next round asks again.
    }
  };

  return {
    store,
    start() {
      const unsubscribe = host.stateChanged((state) => {
        events += 1;
        learn(state);
      });
      void resync();
      const endPolling = whileVisible({
        everyMs: tunnelPollSeconds * 1000,
        action: () => void resync(),
        visibility,
      });
      stopAll = () => {
        unsubscribe();
        endPolling();
        clearTimeout(expiry);
      };
    },
    stop: () => stopAll?.(),
    async connect(server) {
      if (!server) return refuse('no-server-selected');
      const address = serverAddress(server);
      const gateway = parseServerAddress(address)?.gateway;
      if (!gateway) return refuse('bad-address');
      predict({ state: 'connecting', gateway, attempt: 1, phase: 'authenticating' });
      try {
        const reply = await host.connect({ address, serverId: server.serverId });
        if (!reply.ok) refuse(reply.error);
      } catch {
        refuse('unavailable');
      }
    },
    async disconnect() {
      predict({ state: 'disconnecting', then: 'disconnected' });
      try {
        await host.disconnect();
      } catch {
        refuse('unavailable');
      }
    },
  };
}

/** Whether a state is on the way to the prediction, or the prediction itself. The state from before says nothing. */
function confirms(truth: TunnelState, prediction: TunnelState, before: TunnelState | undefined): boolean {
  if (isSame(truth, before)) return false;
  switch (truth.state) {
    case 'invalid':
    case 'disconnected':
      return true;
    case 'connecting':
    case 'connected':
      return prediction.state === 'connecting' && sameGateway(truth.gateway, prediction.gateway);
    case 'disconnecting':
      return prediction.state === 'disconnecting' || truth.then === 'connecting';
    default:
      return truth satisfies never;
  }
}

const isSame = (one: TunnelState, other: TunnelState | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function sameGateway(one: { host: string; port: number }, other: { host: string; port: number }): boolean {
  return one.host === other.host && one.port === other.port;
}
