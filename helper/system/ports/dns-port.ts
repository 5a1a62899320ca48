import type { Schema } from '../schema.ts';

/**
 * How to undo a change of DNS, in the system's own terms: data for the journal, whose meaning only the system's adapter
 * knows.
 */
export type DnsUndo = Readonly<Record<string, unknown>>;

/** The tunnel's resolvers. */
export interface Dns {
  servers: string[];
  searchDomains: string[];
}

/**
 * Controls which resolvers this machine uses. One caller at a time: everything except `watch` changes what the port
 * remembers.
 */
export interface DnsPort {
  /** Checks what an earlier helper has written to the journal. */
  readonly undoSchema: Schema<DnsUndo>;
  /**
   * Remembers the current DNS settings without changing anything. Resolves with how to undo what `set` is going to
   * change, for the journal; undefined if that disappears with the tunnel's device.
   */
  prepare(): Promise<DnsUndo | undefined>;
  /**
   * The same after `set`, to keep the journal correct: what others have changed since replaces what was remembered, and
   * is restored by `clear` and `undo`. If another program manages DNS now, the settings in the previous one are taken
   * back.
   */
  prepareAgain(): Promise<DnsUndo | undefined>;
  /** Whether programs use what is `set`; otherwise the owner of the machine has made that impossible for everybody. */
  isSettable(): boolean;
  /** The resolvers that the machine uses without our settings. */
  originalServers(): Promise<string[]>;
  /** The resolvers that the machine would ask for every name in addition to those `set`; without duplicates. */
  rivalServers(): Promise<string[]>;
  /** Makes these resolvers the only ones of ours, replacing those of an earlier call. */
  set(dns: Dns): Promise<void>;
  /** Checks whether what was last set is still in force. */
  verify(): Promise<'in-force' | 'changed'>;
  /**
   * Calls back within a second after something may have changed it, including ourselves. Returns a function that ends
   * the watch.
   */
  watch(onChange: () => void): () => void;
  /** Restores what was remembered; does nothing without an earlier `prepare`. */
  clear(): Promise<void>;
  /**
   * How to undo what an earlier helper has set, as far as the settings themselves say it: for where no journal does.
   * Without what `known` undoes already.
   */
  leftOver(known: readonly DnsUndo[]): Promise<DnsUndo[]>;
  /** Undoes a change, possibly of an earlier helper. */
  undo(how: DnsUndo): Promise<void>;
}
