import type { CurrentNetwork } from '#shared/networks.ts';

export interface NetworkInUse {
  network: CurrentNetwork;
  /** Differs for each network; wired networks are distinguished by the system's connection profiles for them. */
  id: string;
  /** The system says, or guesses, that traffic is limited or paid for. */
  isMetered?: true;
}

/** The network that connects the computer to the internet, as reported by its system. */
export interface Networks {
  /**
   * Starts to watch the system at the first call. Resolves with the current network; undefined: the system does not
   * say.
   */
  watch(): Promise<NetworkInUse | undefined>;
  /** Whether traffic is limited or paid for on the current network, as far as the system says. Starts no watch. */
  isMetered(): Promise<boolean>;
  /** Calls the listener only if something has changed. */
  onChange(listener: (now: NetworkInUse | undefined) => void): void;
  close(): void;
}
