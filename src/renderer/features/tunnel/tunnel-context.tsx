import { createContext, use } from 'react';
import { useStore } from 'zustand';
import type { Tunnel, TunnelView } from './tunnel-store.ts';

export const TunnelContext = createContext<Tunnel | undefined>(undefined);

export function useTunnel(): Tunnel {
  const tunnel = use(TunnelContext);
  if (!tunnel) throw new Error('no tunnel around this component');
  return tunnel;
}

export function useTunnelView(): TunnelView {
  return useStore(useTunnel().store);
}
