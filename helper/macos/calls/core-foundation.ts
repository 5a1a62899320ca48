import koffi from 'koffi';

/** An object of Core Foundation; null is none. */
export type Reference = unknown;
export type Call = (...values: unknown[]) => unknown;

/** Takes an object that has to be released; throws if there is none. */
export type Own = (reference: Reference, what: string) => Reference;

/** What the helper needs of Core Foundation. Objects are released where they were taken. */
export interface CoreFoundation {
  /** What `work` returns; what it has taken is released, also when it throws. */
  releasing<Result>(work: (own: Own) => Result): Result;
  string(own: Own, text: string): Reference;
  textOf(reference: Reference): string;
  /** The property list of a text in XML; throws if it is none. */
  propertyList(own: Own, xml: string): Reference;
  xmlOf(own: Own, propertyList: Reference): string;
  /** The strings in an array. */
  textsOf(array: Reference): string[];
}

/** <CoreFoundation/CFString.h>, kCFStringEncodingUTF8; CFPropertyList.h, kCFPropertyListXMLFormat_v1_0. */
const utf8 = 0x0800_0100;
const xmlFormat = 100;

export function createCoreFoundation(library: string): CoreFoundation {
  let loaded: ReturnType<typeof load> | undefined;
  const native = () => (loaded ??= load(library));

  function textOf(reference: Reference): string {
    const { CFStringGetLength, CFStringGetCString } = native();
    // At most three bytes in UTF-8 for each unit of UTF-16, and the end.
    const bytes = Buffer.alloc(Number(CFStringGetLength(reference)) * 3 + 1);
    if (CFStringGetCString(reference, bytes, bytes.length, utf8) !== true)
      throw new Error('a string of Core Foundation cannot be read');
    return bytes.toString('utf8', 0, bytes.indexOf(0));
  }

  return {
    releasing(work) {
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
    },
    string(own, text) {
      const bytes = Buffer.from(text);
      return own(native().CFStringCreateWithBytes(null, bytes, bytes.length, utf8, false), 'string');
    },
    textOf,
    propertyList(own, xml) {
      const { CFDataCreate, CFPropertyListCreateWithData } = native();
      const bytes = Buffer.from(xml);
      const data = own(CFDataCreate(null, bytes, bytes.length), 'data');
      return own(CFPropertyListCreateWithData(null, data, 0, null, null), 'property list');
    },
    xmlOf(own, propertyList) {
      const { CFPropertyListCreateData, CFDataGetLength, CFDataGetBytes } = native();
      const data = own(CFPropertyListCreateData(null, propertyList, xmlFormat, 0, null), 'property list');
      const length = Number(CFDataGetLength(data));
      const bytes = Buffer.alloc(length);
      CFDataGetBytes(data, { location: 0, length }, bytes);
      return bytes.toString();
    },
    textsOf(array) {
      const { CFArrayGetCount, CFArrayGetValueAtIndex } = native();
      return Array.from({ length: Number(CFArrayGetCount(array)) }, (_, index) =>
        textOf(CFArrayGetValueAtIndex(array, index)),
      );
    },
  };
}

function load(file: string) {
  const library = koffi.load(file);
  const range = koffi.struct({ location: 'intptr_t', length: 'intptr_t' });
  const object = 'void *';
  const bind = (name: string, result: string, parameters: (string | typeof range)[]) =>
    library.func(name, result, parameters) as Call;
  return {
    CFRelease: bind('CFRelease', 'void', [object]),
    CFStringCreateWithBytes: bind('CFStringCreateWithBytes', object, [
      object,
      'const uint8_t *',
      'intptr_t',
      'uint32_t',
      'bool',
    ]),
    CFStringGetLength: bind('CFStringGetLength', 'intptr_t', [object]),
    CFStringGetCString: bind('CFStringGetCString', 'bool', [object, object, 'intptr_t', 'uint32_t']),
    CFArrayGetCount: bind('CFArrayGetCount', 'intptr_t', [object]),
    CFArrayGetValueAtIndex: bind('CFArrayGetValueAtIndex', object, [object, 'intptr_t']),
    CFDataCreate: bind('CFDataCreate', object, [object, 'const uint8_t *', 'intptr_t']),
    CFDataGetLength: bind('CFDataGetLength', 'intptr_t', [object]),
    CFDataGetBytes: bind('CFDataGetBytes', 'void', [object, range, object]),
    CFPropertyListCreateData: bind('CFPropertyListCreateData', object, [
      object,
      object,
      'intptr_t',
      'unsigned long',
      object,
    ]),
    CFPropertyListCreateWithData: bind('CFPropertyListCreateWithData', object, [
      object,
      object,
      'unsigned long',
      object,
      object,
    ]),
  };
}
