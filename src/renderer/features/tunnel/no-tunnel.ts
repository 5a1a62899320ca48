import { createStore } from 'zustand/vanilla';
import type { Tunnel, TunnelView } from './tunnel-store.ts';

/** For hosts without a tunnel, about which nothing is ever known. */
export const noTunnel = (): Tunnel => ({
  store: createStore<TunnelView>(() => ({ truth: undefined, prediction: undefined, refusal: undefined })),
  start: () => undefined,
  stop: () => undefined,
  connect: () => Promise.resolve(),
  disconnect: () => Promise.resolve(),
});
