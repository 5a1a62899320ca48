import type { CurrentNetwork } from '#shared/networks.ts';

export interface NetworkInUse {
  network: CurrentNetwork;
  /** Another one for another network; two wired networks are told apart by the system's own settings for them. */
  id: string;
}

/** By which network the computer is connected to the world, as its system says. */
export interface Networks {
  /** From the first call on the system is watched. Resolves to what is so now; undefined: the system does not say. */
  watch(): Promise<NetworkInUse | undefined>;
  /** Never tells the same twice. */
  onChange(listener: (now: NetworkInUse | undefined) => void): void;
  close(): void;
}
