import type {
  Filter,
  Filtering,
  FilterSession,
  Provider,
  Sublayer,
} from '../../../../../helper/windows/calls/filtering.ts';
import type { Guid } from '#node/os/windows/guid.ts';
import { codes, SystemError } from '../../../../../helper/windows/calls/system-error.ts';

/** What the filtering engine has. `owner`: the dynamic session that a filter ends with. */
export interface FilterState {
  providers: Map<Guid, Provider>;
  sublayers: Map<Guid, Sublayer>;
  filters: Map<Guid, Filter & { owner: number | undefined }>;
}

const noFilters = (): FilterState => ({
  providers: new Map(),
  sublayers: new Map(),
  filters: new Map(),
});

/** FWP_E_TXN_IN_PROGRESS, FWP_E_NO_TXN_IN_PROGRESS and FWP_E_SESSION_ABORTED of <winerror.h>. */
const [inProgress, notInProgress, aborted] = [0x8032000e, 0x8032000d, 0x80320010] as const;

/** The Windows Filtering Platform as far as it says what is in force, and when. */
export class FilterEngine {
  state = noFilters();
  /** The session that has a transaction, and what will be in force after it. */
  private pending: { session: number; state: FilterState } | undefined;
  private sessions = new Map<number, 'static' | 'dynamic'>();
  private next = 1;

  private readonly changed: (call: string) => void;
  private readonly watchers: Set<() => void>;

  constructor(changed: (call: string) => void, watchers: Set<() => void>) {
    this.changed = changed;
    this.watchers = watchers;
  }

  calls(): Filtering {
    return { open: (kind) => this.open(kind) };
  }

  /** The process of these sessions has ended. */
  endSessions(): void {
    this.pending = undefined;
    for (const [id, kind] of this.sessions) if (kind === 'dynamic') this.dropOf(id);
    this.sessions.clear();
  }

  /** What is left of it after a start of the machine: in force are those of `lifetimes`. */
  restart(): void {
    this.endSessions();
    for (const [key, { lifetime }] of this.state.filters)
      if (lifetime === 'running') this.state.filters.delete(key);
  }

  private dropOf(session: number): void {
    for (const [key, { owner }] of this.state.filters) if (owner === session) this.state.filters.delete(key);
  }

  private open(kind: 'static' | 'dynamic'): FilterSession {
    const id = this.next;
    this.next += 1;
    this.sessions.set(id, kind);
    const expectAlive = () => {
      if (!this.sessions.has(id)) throw new SystemError('a call of an ended session', aborted);
    };
    const target = () => {
      expectAlive();
      return this.pending?.session === id ? this.pending.state : this.state;
    };
    /** Outside a transaction, each call is in force at once. */
    const after = (call: string) => {
      if (this.pending?.session !== id) this.changed(call);
    };
    function addTo<Value extends { key: Guid }>(call: string, all: Map<Guid, Value>, value: Value) {
      if (all.has(value.key)) return 'exists' as const;
      all.set(value.key, value);
      after(call);
      return 'added' as const;
    }
    const remove = (call: string, all: Map<Guid, unknown>, key: Guid) => {
      if (!all.delete(key)) return 'absent';
      after(call);
      return 'deleted';
    };
    const isUsed = (is: (filter: Filter) => boolean) => [...target().filters.values()].some(is);
    return {
      begin: () => {
        expectAlive();
        if (this.pending) throw new SystemError('FwpmTransactionBegin0', inProgress);
        const { providers, sublayers, filters } = this.state;
        const state = {
          providers: new Map(providers),
          sublayers: new Map(sublayers),
          filters: new Map(filters),
        };
        this.pending = { session: id, state };
      },
      commit: () => {
        expectAlive();
        if (this.pending?.session !== id) throw new SystemError('FwpmTransactionCommit0', notInProgress);
        const before = [...this.state.filters.keys()].join();
        this.state = this.pending.state;
        this.pending = undefined;
        // Nobody is told of a transaction in which nothing was changed.
        if ([...this.state.filters.keys()].join() !== before) this.changed('commit');
      },
      abort: () => {
        expectAlive();
        if (this.pending?.session === id) this.pending = undefined;
      },
      addProvider: (provider) => addTo('addProvider', target().providers, provider),
      addSublayer: (sublayer) => addTo('addSublayer', target().sublayers, sublayer),
      addFilter: (filter) => {
        const { providers, sublayers, filters } = target();
        if (!sublayers.has(filter.sublayer))
          throw new SystemError('FwpmFilterAdd0', codes.FWP_E_SUBLAYER_NOT_FOUND);
        if (filter.provider !== undefined && !providers.has(filter.provider))
          throw new SystemError('FwpmFilterAdd0', codes.FWP_E_PROVIDER_NOT_FOUND);
        return addTo('addFilter', filters, { ...filter, owner: kind === 'dynamic' ? id : undefined });
      },
      deleteFilter: (key) => remove('deleteFilter', target().filters, key),
      deleteSublayer: (key) =>
        isUsed(({ sublayer }) => sublayer === key)
          ? 'in-use'
          : remove('deleteSublayer', target().sublayers, key),
      deleteProvider: (key) =>
        isUsed(({ provider }) => provider === key)
          ? 'in-use'
          : remove('deleteProvider', target().providers, key),
      filters: (provider) =>
        [...target().filters.values()]
          .filter((filter) => filter.provider === provider)
          .map(({ key, sublayer }) => ({ key, sublayer, action: 0, layer: key })),
      watch: (onChange) => {
        this.watchers.add(onChange);
        return () => this.watchers.delete(onChange);
      },
      close: () => {
        this.sessions.delete(id);
        if (kind !== 'dynamic') return;
        this.dropOf(id);
        this.changed('close');
      },
    };
  }
}
