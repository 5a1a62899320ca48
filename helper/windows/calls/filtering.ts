import type { Guid } from '#node/os/windows/guid.ts';
import type { Luid } from './ip-helper.ts';

/** The Windows Filtering Platform. Calls that fail for no expected reason throw `SystemError`. */
export interface Filtering {
  /** `static`: what the session adds stays when it or its process ends. `dynamic`: it goes with them. */
  open(kind: 'static' | 'dynamic'): FilterSession;
}

export interface FilterSession {
  /** All that follows happens at `commit`, at once, or not at all. */
  begin(): void;
  commit(): void;
  abort(): void;
  addProvider(provider: Provider): 'added' | 'exists';
  addSublayer(sublayer: Sublayer): 'added' | 'exists';
  addFilter(filter: Filter): 'added' | 'exists';
  deleteFilter(key: Guid): 'deleted' | 'absent';
  /** `in-use`: there are filters in it. */
  deleteSublayer(key: Guid): 'deleted' | 'absent' | 'in-use';
  deleteProvider(key: Guid): 'deleted' | 'absent' | 'in-use';
  /** The filters of this provider, in force or, inside a transaction, about to be. */
  filters(provider: Guid): FoundFilter[];
  /** Calls back after a filter was added or deleted. Returns a function that ends the watch. */
  watch(onChange: () => void): () => void;
  close(): void;
}

/** Both outlast a reboot, since a filter that does may only refer to such. */
export interface Provider {
  key: Guid;
  name: string;
}

export interface Sublayer {
  key: Guid;
  name: string;
  provider: Guid;
  /** Up to 0xffff; the system asks sublayers with more of it first. */
  weight: number;
}

/** Where the system asks: when a program connects or sends for the first time, and when something comes in. */
export type FilterLayer = 'connect-4' | 'connect-6' | 'accept-4' | 'accept-6';

/**
 * How long a filter exists. `running`: until the filtering engine stops, which it does at shutdown. `persistent`: in
 * force whenever the engine runs, over reboots. `boot-time`: in force from the start of the network driver until the
 * engine runs.
 */
export type FilterLifetime = 'running' | 'persistent' | 'boot-time';

export interface Filter {
  key: Guid;
  name: string;
  /** Who has added it, for `filters`. */
  provider: Guid | undefined;
  sublayer: Guid;
  layer: FilterLayer;
  lifetime: FilterLifetime;
  action: 'permit' | 'block';
  /** Sublayers that are asked later cannot decide otherwise (FWPM_FILTER_FLAG_CLEAR_ACTION_RIGHT). */
  isFinal: boolean;
  /** 0 to 15; of a sublayer's filters that match, the one with the highest decides. */
  weight: number;
  /** All must hold; of those with the same field, one. */
  conditions: readonly FilterCondition[];
}

/** What is read of a filter; what else it says belongs to its key. */
export type FoundFilter = Pick<Filter, 'key' | 'sublayer'> & { action: number; layer: Guid };

export type FilterCondition =
  /** Within this machine. */
  | { field: 'loopback' }
  /** Through this interface. */
  | { field: 'interface'; luid: Luid }
  | { field: 'local-address'; address: string }
  /** To or from an address of a prefix. */
  | { field: 'remote-prefix'; prefix: string }
  /** To or from an address between two, inclusive. */
  | { field: 'remote-range'; first: string; last: string }
  /** IPPROTO_TCP and others. */
  | { field: 'protocol'; protocol: number }
  | { field: 'local-port'; port: number }
  | { field: 'remote-port'; port: number }
  | { field: 'icmp-type'; type: number }
  /** The file of the program that has the socket. */
  | { field: 'program'; file: string }
  /** The program's user, as a security identifier (S-1-…). */
  | { field: 'user'; sid: string };
