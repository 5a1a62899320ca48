import type { DnsStep } from './journal-entry.ts';

/** The tunnel's resolvers. */
export interface Dns {
  servers: string[];
  searchDomains: string[];
}

/** Who looks names up on this machine. One caller at a time: all but `watch` change what the port remembers. */
export interface DnsPort {
  /**
   * Remembers what name resolution is like now, without changing anything. Resolves to how to undo what `set` is going
   * to change, for the journal; undefined where that goes with the tunnel's device.
   */
  prepare(): Promise<DnsStep | undefined>;
  /**
   * The same after `set`, for a journal that is to be true still: what others have changed since is remembered in place
   * of what was there before, and is what `clear` and the step restore. Where it is somebody else now who looks names
   * up, what was set at the one before is taken back.
   */
  prepareAgain(): Promise<DnsStep | undefined>;
  /** Whether programs ask what is `set`; else the owner of the machine keeps that from everybody. */
  isSettable(): boolean;
  /** The resolvers that the machine asks where nothing of ours is set. */
  originalServers(): Promise<string[]>;
  /** Makes these resolvers the only ones, in place of those of an earlier call. */
  set(dns: Dns): Promise<void>;
  /** Looks at the system: whether what was set last is in force still. */
  verify(): Promise<'in-force' | 'changed'>;
  /** Calls back within a second after somebody may have changed it, ourselves included. Returns what ends the watch. */
  watch(onChange: () => void): () => void;
  /** Restores what was remembered; without `prepare` before it does nothing. */
  clear(): Promise<void>;
  /** Undoes a step, of an earlier helper too. */
  undo(step: DnsStep): Promise<void>;
}
