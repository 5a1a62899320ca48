import koffi from 'koffi';
import type { Call, CoreFoundation, Own, Reference } from './core-foundation.ts';
import type { Notifications } from './notifications.ts';

/** The values of macOS's dynamic store (SCDynamicStore), by their keys, as property lists in XML. */
export interface DynamicStore {
  /** Keys that match a regular expression as a whole. */
  keys(pattern: string): string[];
  get(key: string): string | undefined;
  /** Throws if the store does not take it, as it may soon after waking up. */
  set(key: string, propertyList: string): void;
  remove(key: string): 'removed' | 'absent';
  /** Calls back after resolvers have changed. Returns a function that ends the watch. */
  watchResolvers(onChange: () => void): () => void;
}

/** What configd tells everybody after the resolvers have changed (configd, dnsinfo). */
const resolversChanged = 'com.apple.system.SystemConfiguration.dns_configuration';

/** <SystemConfiguration/SystemConfiguration.h>, kSCStatusNoKey. */
const noKey = 1004;

/** `library`: the file of SystemConfiguration. */
export function createDynamicStore(
  foundation: CoreFoundation,
  notifications: Notifications,
  library: string,
): DynamicStore {
  let loaded: ReturnType<typeof load> | undefined;
  const native = () => (loaded ??= load(library));

  /** With a connection of its own, because one that is kept may be broken after waking up. */
  const using = <Result>(work: (store: Reference, own: Own) => Result): Result =>
    foundation.releasing((own) => {
      const name = foundation.string(own, 'waymaker');
      const store = own(native().SCDynamicStoreCreate(null, name, null, null), 'dynamic store');
      return work(store, own);
    });

  const status = () => Number(native().SCError());

  return {
    keys: (pattern) =>
      using((store, own) => {
        const list = native().SCDynamicStoreCopyKeyList(store, foundation.string(own, pattern));
        return foundation.textsOf(own(list, 'list of keys'));
      }),
    get: (key) =>
      using((store, own) => {
        const value = native().SCDynamicStoreCopyValue(store, foundation.string(own, key));
        if (value !== null) return foundation.xmlOf(own, own(value, 'value'));
        const why = status();
        if (why === noKey) return undefined;
        throw new Error(`${key} of the dynamic store cannot be read: ${why}`);
      }),
    set: (key, propertyList) =>
      using((store, own) => {
        const value = foundation.propertyList(own, propertyList);
        if (native().SCDynamicStoreSetValue(store, foundation.string(own, key), value) !== true)
          throw new Error(`${key} of the dynamic store cannot be set: ${status()}`);
      }),
    remove: (key) =>
      using((store, own) => {
        if (native().SCDynamicStoreRemoveValue(store, foundation.string(own, key)) === true) return 'removed';
        const why = status();
        if (why === noKey) return 'absent';
        throw new Error(`${key} of the dynamic store cannot be removed: ${why}`);
      }),
    watchResolvers: (onChange) => notifications.watch(resolversChanged, onChange),
  };
}

function load(file: string) {
  const library = koffi.load(file);
  const object = 'void *';
  const bind = (name: string, result: string, parameters: string[]) =>
    library.func(name, result, parameters) as Call;
  return {
    SCDynamicStoreCreate: bind('SCDynamicStoreCreate', object, [object, object, object, object]),
    SCDynamicStoreCopyKeyList: bind('SCDynamicStoreCopyKeyList', object, [object, object]),
    SCDynamicStoreCopyValue: bind('SCDynamicStoreCopyValue', object, [object, object]),
    SCDynamicStoreSetValue: bind('SCDynamicStoreSetValue', 'bool', [object, object, object]),
    SCDynamicStoreRemoveValue: bind('SCDynamicStoreRemoveValue', 'bool', [object, object]),
    SCError: bind('SCError', 'int', []),
  };
}
