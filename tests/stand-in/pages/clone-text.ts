/**
 * The structured clone (HTML standard §2.7) as text, for Chromium's debugger bindings, which carry strings.
 * Both functions also run in pages from their own source text, so each is complete in itself.
 */

/** Throws a DataCloneError, as Electron's IPC does, for what cannot be cloned. */
export function cloneToText(value: unknown): string {
  const seen: object[] = [];
  function describe(part: unknown): unknown {
    if (part === undefined) return { t: 'undefined' };
    if (part === null || typeof part === 'string' || typeof part === 'boolean') return part;
    if (typeof part === 'number') {
      return Number.isFinite(part) && !Object.is(part, -0)
        ? part
        : { t: 'number', v: Object.is(part, -0) ? '-0' : String(part) };
    }
    if (typeof part === 'bigint') return { t: 'bigint', v: String(part) };
    if (typeof part !== 'object') throw new TypeError('not cloneable');
    if (seen.includes(part)) throw new TypeError('the stand-in carries no repeated or circular references');
    seen.push(part);
    if (part instanceof Date) return { t: 'date', v: part.getTime() };
    if (part instanceof Error) return { t: 'error', name: part.name, message: part.message };
    if (part instanceof Map)
      return { t: 'map', v: [...part].map(([key, item]) => [describe(key), describe(item)]) };
    if (part instanceof Set) return { t: 'set', v: [...part].map(describe) };
    if (part instanceof ArrayBuffer) return { t: 'buffer', v: [...new Uint8Array(part)] };
    if (part instanceof Uint8Array) return { t: 'bytes', v: [...part] };
    if (Array.isArray(part)) return part.map(describe);
    const prototype: unknown = Object.getPrototypeOf(part);
    if (prototype !== Object.prototype && prototype !== null) {
      throw new TypeError(`the stand-in does not carry a ${part.constructor.name}`);
    }
    return { t: 'object', v: Object.entries(part).map(([key, item]) => [key, describe(item)]) };
  }
  return JSON.stringify(describe(structuredClone(value)));
}

export function cloneFromText(text: string): unknown {
  interface Tagged {
    t: string;
    v: unknown;
    name?: string;
    message?: string;
  }
  function read(part: unknown): unknown {
    if (part === null || typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.map(read);
    const { t, v, name, message } = part as Tagged;
    switch (t) {
      case 'undefined':
        return undefined;
      case 'number':
        return Number(v);
      case 'bigint':
        return BigInt(String(v));
      case 'date':
        return new Date(Number(v));
      case 'error':
        return Object.assign(new Error(message), { name });
      case 'map':
        return new Map((v as [unknown, unknown][]).map(([key, item]) => [read(key), read(item)]));
      case 'set':
        return new Set((v as unknown[]).map(read));
      case 'buffer':
        return new Uint8Array(v as number[]).buffer;
      case 'bytes':
        return new Uint8Array(v as number[]);
      case 'object':
        return Object.fromEntries((v as [string, unknown][]).map(([key, item]) => [key, read(item)]));
      default:
        throw new TypeError(`unknown part ${t}`);
    }
  }
  return read(JSON.parse(text));
}
