import koffi from 'koffi';
import { z } from 'zod/mini';
import { conditionValue, type ConditionValue, type NativeConditions } from './filter-conditions.ts';
import type {
  Filter,
  FilterLayer,
  FilterLifetime,
  Filtering,
  FilterSession,
  FoundFilter,
} from './filtering.ts';
import { copyOf, readFilter } from './read-filter.ts';
import {
  filterConstants as constants,
  filterFlags,
  FWP_BYTE_BLOB,
  FWPM_FILTER0,
  FWPM_FILTER_CONDITION0,
  FWPM_FILTER_SUBSCRIPTION0,
  FWPM_PROVIDER0,
  FWPM_SESSION0,
  FWPM_SUBLAYER0,
  layers,
} from './filter-structures.ts';
import { guidBytes, GUID, guidValue, type Guid } from '#node/os/windows/guid.ts';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';
import type { Libraries } from './libraries.ts';
import type { Structure } from '#node/os/windows/structure.ts';
import { codes, expectSuccess, meaningOf, SystemError } from './system-error.ts';

const { ERROR_SUCCESS, FWP_E_ALREADY_EXISTS, FWP_E_IN_USE } = codes;
const addition = { [ERROR_SUCCESS]: 'added', [FWP_E_ALREADY_EXISTS]: 'exists' } as const;

const layerKeys: Record<FilterLayer, Guid> = {
  'connect-4': layers.FWPM_LAYER_ALE_AUTH_CONNECT_V4,
  'connect-6': layers.FWPM_LAYER_ALE_AUTH_CONNECT_V6,
  'accept-4': layers.FWPM_LAYER_ALE_AUTH_RECV_ACCEPT_V4,
  'accept-6': layers.FWPM_LAYER_ALE_AUTH_RECV_ACCEPT_V6,
};

const lifetimeFlags: Record<FilterLifetime, number> = {
  running: 0,
  persistent: filterFlags.FWPM_FILTER_FLAG_PERSISTENT,
  'boot-time': filterFlags.FWPM_FILTER_FLAG_BOOTTIME,
};

const noGuid = guidValue('00000000-0000-0000-0000-000000000000');
const noData = { size: 0, data: null };
const noValue = { type: constants.FWP_EMPTY, bits: 0n };
const byteBlob = z.object({ size: z.number(), data: z.bigint() });
/** How long a call waits for another's transaction, in milliseconds. */
const transactionWaitMs = 5_000;
const readAtOnce = 200;

/** Memory to which a call's structures point; nothing else refers to it. */
const held: { memory: readonly unknown[] } = { memory: [] };

export function createFiltering(files: Pick<Libraries, 'fwpuclnt' | 'advapi32' | 'kernel32'>): Filtering {
  const { bind, bindWaiting } = loadLibrary(files.fwpuclnt);
  const security = loadLibrary(files.advapi32);
  const kernel = loadLibrary(files.kernel32);
  const pointer = ({ type }: Structure) => koffi.pointer(type);
  const callback = koffi.proto('__stdcall', null, 'void', ['void *', 'void *']);
  const native = {
    open: bind('FwpmEngineOpen0', 'uint32', [
      'str16',
      'uint32',
      'void *',
      pointer(FWPM_SESSION0),
      returned('void *'),
    ]),
    close: bind('FwpmEngineClose0', 'uint32', ['void *']),
    begin: bind('FwpmTransactionBegin0', 'uint32', ['void *', 'uint32']),
    commit: bind('FwpmTransactionCommit0', 'uint32', ['void *']),
    abort: bind('FwpmTransactionAbort0', 'uint32', ['void *']),
    addProvider: bind('FwpmProviderAdd0', 'uint32', ['void *', pointer(FWPM_PROVIDER0), 'void *']),
    deleteProvider: bind('FwpmProviderDeleteByKey0', 'uint32', ['void *', pointer(GUID)]),
    addSublayer: bind('FwpmSubLayerAdd0', 'uint32', ['void *', pointer(FWPM_SUBLAYER0), 'void *']),
    deleteSublayer: bind('FwpmSubLayerDeleteByKey0', 'uint32', ['void *', pointer(GUID)]),
    addFilter: bind('FwpmFilterAdd0', 'uint32', [
      'void *',
      pointer(FWPM_FILTER0),
      'void *',
      returned('uint64'),
    ]),
    deleteFilter: bind('FwpmFilterDeleteByKey0', 'uint32', ['void *', pointer(GUID)]),
    createEnumeration: bind('FwpmFilterCreateEnumHandle0', 'uint32', [
      'void *',
      'void *',
      returned('void *'),
    ]),
    enumerate: bind('FwpmFilterEnum0', 'uint32', [
      'void *',
      'void *',
      'uint32',
      returned('void *'),
      returned('uint32'),
    ]),
    destroyEnumeration: bind('FwpmFilterDestroyEnumHandle0', 'uint32', ['void *', 'void *']),
    subscribe: bind('FwpmFilterSubscribeChanges0', 'uint32', [
      'void *',
      pointer(FWPM_FILTER_SUBSCRIPTION0),
      koffi.pointer(callback),
      'void *',
      returned('void *'),
    ]),
    unsubscribe: bindWaiting('FwpmFilterUnsubscribeChanges0', 'uint32', ['void *', 'void *']),
    free: bind('FwpmFreeMemory0', 'void', [koffi.inout(koffi.pointer('void *'))]),
    programId: bind('FwpmGetAppIdFromFileName0', 'uint32', ['str16', returned('void *')]),
    readDescriptor: security.bind('ConvertStringSecurityDescriptorToSecurityDescriptorW', 'int32', [
      'str16',
      'uint32',
      returned('void *'),
      returned('uint32'),
    ]),
    freeLocal: kernel.bind('LocalFree', 'void *', ['void *']),
    lastError: kernel.bind('GetLastError', 'uint32', []),
  };

  /** Copies, so that nothing of the system's has to be freed later. */
  const copies: NativeConditions = {
    programId(file) {
      const into: unknown[] = [null];
      expectSuccess('FwpmGetAppIdFromFileName0', native.programId(file, into));
      try {
        const blob = byteBlob.parse(koffi.decode(into[0], FWP_BYTE_BLOB.type));
        return copyOf(blob.data, blob.size);
      } finally {
        native.free(into);
      }
    },
    securityDescriptor(text) {
      const [into, size]: [unknown[], unknown[]] = [[null], [0]];
      if (Number(native.readDescriptor(text, constants.SDDL_REVISION_1, into, size)) === 0)
        throw new SystemError(
          'ConvertStringSecurityDescriptorToSecurityDescriptorW',
          Number(native.lastError()),
        );
      try {
        return copyOf(into[0], Number(size[0]));
      } finally {
        native.freeLocal(into[0]);
      }
    },
  };

  return { open: openSession };

  function openSession(kind: 'static' | 'dynamic'): FilterSession {
    const into: unknown[] = [null];
    const session = {
      sessionKey: noGuid,
      displayData: { name: 'Waymaker', description: null },
      flags: kind === 'dynamic' ? filterFlags.FWPM_SESSION_FLAG_DYNAMIC : 0,
      txnWaitTimeoutInMSec: transactionWaitMs,
      processId: 0,
      sid: null,
      username: null,
      kernelMode: 0,
    };
    expectSuccess('FwpmEngineOpen0', native.open(null, constants.RPC_C_AUTHN_WINNT, null, session, into));
    const [engine] = into;
    return {
      begin: () => expectSuccess('FwpmTransactionBegin0', native.begin(engine, 0)),
      commit: () => expectSuccess('FwpmTransactionCommit0', native.commit(engine)),
      abort: () => expectSuccess('FwpmTransactionAbort0', native.abort(engine)),
      addProvider({ key, name }) {
        const provider = {
          providerKey: guidValue(key),
          displayData: { name, description: null },
          flags: filterFlags.FWPM_PROVIDER_FLAG_PERSISTENT,
          providerData: noData,
          serviceName: null,
        };
        return meaningOf('FwpmProviderAdd0', native.addProvider(engine, provider, null), addition);
      },
      addSublayer({ key, name, provider, weight }) {
        const providerKey = guidBytes(provider);
        held.memory = [providerKey];
        const sublayer = {
          subLayerKey: guidValue(key),
          displayData: { name, description: null },
          flags: filterFlags.FWPM_SUBLAYER_FLAG_PERSISTENT,
          providerKey: koffi.address(providerKey),
          providerData: noData,
          weight,
        };
        return meaningOf('FwpmSubLayerAdd0', native.addSublayer(engine, sublayer, null), addition);
      },
      addFilter: (filter) => addFilter(engine, filter),
      deleteFilter: (key) =>
        meaningOf('FwpmFilterDeleteByKey0', native.deleteFilter(engine, guidValue(key)), {
          [ERROR_SUCCESS]: 'deleted',
          [codes.FWP_E_FILTER_NOT_FOUND]: 'absent',
        }),
      deleteSublayer: (key) =>
        meaningOf('FwpmSubLayerDeleteByKey0', native.deleteSublayer(engine, guidValue(key)), {
          [ERROR_SUCCESS]: 'deleted',
          [codes.FWP_E_SUBLAYER_NOT_FOUND]: 'absent',
          [FWP_E_IN_USE]: 'in-use',
        }),
      deleteProvider: (key) =>
        meaningOf('FwpmProviderDeleteByKey0', native.deleteProvider(engine, guidValue(key)), {
          [ERROR_SUCCESS]: 'deleted',
          [codes.FWP_E_PROVIDER_NOT_FOUND]: 'absent',
          [FWP_E_IN_USE]: 'in-use',
        }),
      filters: (provider) => filtersOf(engine, provider),
      watch: (onChange) => watch(engine, onChange),
      close: () => expectSuccess('FwpmEngineClose0', native.close(engine)),
    };
  }

  function addFilter(engine: unknown, filter: Filter): 'added' | 'exists' {
    const providerKey = filter.provider && guidBytes(filter.provider);
    const values = filter.conditions.map((condition) => conditionValue(condition, filter.layer, copies));
    const conditions = conditionArray(values);
    const isFinal = filter.isFinal ? filterFlags.FWPM_FILTER_FLAG_CLEAR_ACTION_RIGHT : 0;
    const given = {
      filterKey: guidValue(filter.key),
      displayData: { name: filter.name, description: null },
      flags: lifetimeFlags[filter.lifetime] | isFinal,
      providerKey: providerKey ? koffi.address(providerKey) : null,
      providerData: noData,
      layerKey: guidValue(layerKeys[filter.layer]),
      subLayerKey: guidValue(filter.sublayer),
      weight: { type: constants.FWP_UINT8, bits: BigInt(filter.weight) },
      numFilterConditions: values.length,
      filterCondition: values.length === 0 ? null : koffi.address(conditions),
      action: {
        type: filter.action === 'permit' ? constants.FWP_ACTION_PERMIT : constants.FWP_ACTION_BLOCK,
        filterType: noGuid,
      },
      context: [0n, 0n],
      reserved: null,
      filterId: 0n,
      effectiveWeight: noValue,
    };
    held.memory = [providerKey, conditions, values];
    try {
      return meaningOf('FwpmFilterAdd0', native.addFilter(engine, given, null, [0n]), addition);
    } finally {
      held.memory = [];
    }
  }

  function filtersOf(engine: unknown, provider: Guid): FoundFilter[] {
    const into: unknown[] = [null];
    expectSuccess('FwpmFilterCreateEnumHandle0', native.createEnumeration(engine, null, into));
    const found: FoundFilter[] = [];
    try {
      for (let isMore = true; isMore;) {
        const [entries, count]: [unknown[], unknown[]] = [[null], [0]];
        expectSuccess('FwpmFilterEnum0', native.enumerate(engine, into[0], readAtOnce, entries, count));
        try {
          const pointers: unknown[] =
            Number(count[0]) === 0 ? [] : koffi.decode(entries[0], koffi.array('void *', Number(count[0])));
          for (const entry of pointers) found.push(...readFilter(entry, provider));
          isMore = pointers.length === readAtOnce;
        } finally {
          if (entries[0] !== null) native.free(entries);
        }
      }
      return found;
    } finally {
      native.destroyEnumeration(engine, into[0]);
    }
  }

  function watch(engine: unknown, onChange: () => void): () => void {
    let isWatching = true;
    const called = koffi.register(() => {
      if (isWatching) onChange();
    }, koffi.pointer(callback));
    const { FWPM_SUBSCRIPTION_FLAG_NOTIFY_ON_ADD: added, FWPM_SUBSCRIPTION_FLAG_NOTIFY_ON_DELETE: deleted } =
      filterFlags;
    const subscription = { enumTemplate: null, flags: added | deleted, sessionKey: noGuid };
    const into: unknown[] = [null];
    expectSuccess('FwpmFilterSubscribeChanges0', native.subscribe(engine, subscription, called, null, into));
    return () => {
      if (!isWatching) return;
      isWatching = false;
      // Waits for callbacks that are being made, and these wait for this thread.
      void Promise.allSettled([native.unsubscribe(engine, into[0])]).then(() => koffi.unregister(called));
    };
  }
}

/** FWPM_FILTER_CONDITION0, one after the other. */
function conditionArray(values: readonly ConditionValue[]): Buffer {
  const size = koffi.sizeof(FWPM_FILTER_CONDITION0.type);
  const array = Buffer.alloc(values.length * size);
  for (const [index, { field, match, type, bits }] of values.entries())
    koffi.encode(array, index * size, FWPM_FILTER_CONDITION0.type, {
      fieldKey: guidValue(field),
      matchType: match,
      conditionValue: { type, bits },
    });
  return array;
}
