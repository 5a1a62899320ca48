import koffi from 'koffi';
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

/** Files of the libraries. */
export interface StoreLibraries {
  coreFoundation: string;
  systemConfiguration: string;
}

export const storeLibraries: StoreLibraries = {
  coreFoundation: '/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation',
  systemConfiguration: '/System/Library/Frameworks/SystemConfiguration.framework/SystemConfiguration',
};

/** What configd tells everybody after the resolvers have changed (configd, dnsinfo). */
const resolversChanged = 'com.apple.system.SystemConfiguration.dns_configuration';

/**
 * <CoreFoundation/CFString.h>, kCFStringEncodingUTF8; CFPropertyList.h, kCFPropertyListXMLFormat_v1_0;
 * <SystemConfiguration/SystemConfiguration.h>, kSCStatusNoKey.
 */
const utf8 = 0x0800_0100;
const xmlFormat = 100;
const noKey = 1004;

type Call = (...values: unknown[]) => unknown;
/** An object of Core Foundation, which has to be released; null is none. */
type Reference = unknown;

export function createDynamicStore(notifications: Notifications, libraries: StoreLibraries): DynamicStore {
  let loaded: ReturnType<typeof load> | undefined;
  const native = () => (loaded ??= load(libraries));

  /** What `work` returns; what it took is released, also when it throws. */
  function releasing<Result>(
    work: (own: (reference: Reference, what: string) => Reference) => Result,
  ): Result {
    const owned: Reference[] = [];
    try {
      return work((reference, what) => {
        if (reference === null) throw new Error(`there is no ${what}`);
        owned.push(reference);
        return reference;
      });
    } finally {
      for (const reference of owned.toReversed()) native().CFRelease(reference);
    }
  }

  const string = (text: string) => {
    const bytes = Buffer.from(text);
    return native().CFStringCreateWithBytes(null, bytes, bytes.length, utf8, false);
  };

  /** A connection for each use, because one that is kept may be broken after waking up. */
  const open = () => {
    const { CFRelease, SCDynamicStoreCreate } = native();
    const name = string('waymaker');
    try {
      return SCDynamicStoreCreate(null, name, null, null);
    } finally {
      CFRelease(name);
    }
  };

  function textOf(data: Reference): string {
    const { CFDataGetLength, CFDataGetBytes } = native();
    const length = Number(CFDataGetLength(data));
    const bytes = Buffer.alloc(length);
    CFDataGetBytes(data, { location: 0, length }, bytes);
    return bytes.toString();
  }

  function stringOf(reference: Reference): string {
    const { CFStringGetLength, CFStringGetCString } = native();
    // At most three bytes in UTF-8 for each unit of UTF-16, and the end.
    const bytes = Buffer.alloc(Number(CFStringGetLength(reference)) * 3 + 1);
    if (CFStringGetCString(reference, bytes, bytes.length, utf8) !== true)
      throw new Error('a key of the dynamic store cannot be read');
    return bytes.toString('utf8', 0, bytes.indexOf(0));
  }

  return {
    keys: (pattern) =>
      releasing((own) => {
        const { SCDynamicStoreCopyKeyList, CFArrayGetCount, CFArrayGetValueAtIndex } = native();
        const store = own(open(), 'dynamic store');
        const list = own(SCDynamicStoreCopyKeyList(store, own(string(pattern), 'string')), 'list of keys');
        return Array.from({ length: Number(CFArrayGetCount(list)) }, (_, index) =>
          stringOf(CFArrayGetValueAtIndex(list, index)),
        );
      }),
    get: (key) =>
      releasing((own) => {
        const { SCDynamicStoreCopyValue, CFPropertyListCreateData, SCError } = native();
        const store = own(open(), 'dynamic store');
        const value = SCDynamicStoreCopyValue(store, own(string(key), 'string'));
        if (value === null) {
          const status = Number(SCError());
          if (status === noKey) return undefined;
          throw new Error(`${key} of the dynamic store cannot be read: ${status}`);
        }
        own(value, 'value');
        return textOf(own(CFPropertyListCreateData(null, value, xmlFormat, 0, null), 'property list'));
      }),
    set: (key, propertyList) =>
      releasing((own) => {
        const { CFDataCreate, CFPropertyListCreateWithData, SCDynamicStoreSetValue, SCError } = native();
        const bytes = Buffer.from(propertyList);
        const data = own(CFDataCreate(null, bytes, bytes.length), 'data');
        const value = own(CFPropertyListCreateWithData(null, data, 0, null, null), 'property list');
        const store = own(open(), 'dynamic store');
        if (SCDynamicStoreSetValue(store, own(string(key), 'string'), value) !== true)
          throw new Error(`${key} of the dynamic store cannot be set: ${Number(SCError())}`);
      }),
    remove: (key) =>
      releasing((own) => {
        const { SCDynamicStoreRemoveValue, SCError } = native();
        const store = own(open(), 'dynamic store');
        if (SCDynamicStoreRemoveValue(store, own(string(key), 'string')) === true) return 'removed';
        const status = Number(SCError());
        if (status === noKey) return 'absent';
        throw new Error(`${key} of the dynamic store cannot be removed: ${status}`);
      }),
    watchResolvers: (onChange) => notifications.watch(resolversChanged, onChange),
  };
}

function load({ coreFoundation, systemConfiguration }: StoreLibraries) {
  const range = koffi.struct({ location: 'intptr_t', length: 'intptr_t' });
  const binder = (file: string) => {
    const library = koffi.load(file);
    return (name: string, result: string, parameters: (string | typeof range)[]) =>
      library.func(name, result, parameters) as Call;
  };
  const ofFoundation = binder(coreFoundation);
  const ofConfiguration = binder(systemConfiguration);
  const object = 'void *';
  return {
    CFRelease: ofFoundation('CFRelease', 'void', [object]),
    CFStringCreateWithBytes: ofFoundation('CFStringCreateWithBytes', object, [
      object,
      'const uint8_t *',
      'intptr_t',
      'uint32_t',
      'bool',
    ]),
    CFStringGetLength: ofFoundation('CFStringGetLength', 'intptr_t', [object]),
    CFStringGetCString: ofFoundation('CFStringGetCString', 'bool', [object, object, 'intptr_t', 'uint32_t']),
    CFArrayGetCount: ofFoundation('CFArrayGetCount', 'intptr_t', [object]),
    CFArrayGetValueAtIndex: ofFoundation('CFArrayGetValueAtIndex', object, [object, 'intptr_t']),
    CFDataCreate: ofFoundation('CFDataCreate', object, [object, 'const uint8_t *', 'intptr_t']),
    CFDataGetLength: ofFoundation('CFDataGetLength', 'intptr_t', [object]),
    CFDataGetBytes: ofFoundation('CFDataGetBytes', 'void', [object, range, object]),
    CFPropertyListCreateData: ofFoundation('CFPropertyListCreateData', object, [
      object,
      object,
      'intptr_t',
      'unsigned long',
      object,
    ]),
    CFPropertyListCreateWithData: ofFoundation('CFPropertyListCreateWithData', object, [
      object,
      object,
      'unsigned long',
      object,
      object,
    ]),
    SCDynamicStoreCreate: ofConfiguration('SCDynamicStoreCreate', object, [object, object, object, object]),
    SCDynamicStoreCopyKeyList: ofConfiguration('SCDynamicStoreCopyKeyList', object, [object, object]),
    SCDynamicStoreCopyValue: ofConfiguration('SCDynamicStoreCopyValue', object, [object, object]),
    SCDynamicStoreSetValue: ofConfiguration('SCDynamicStoreSetValue', 'bool', [object, object, object]),
    SCDynamicStoreRemoveValue: ofConfiguration('SCDynamicStoreRemoveValue', 'bool', [object, object]),
    SCError: ofConfiguration('SCError', 'int', []),
  };
}
