import type { FilterSession } from '../../../../../helper/windows/calls/filtering.ts';
import type { WindowsCalls } from '../../../../../helper/windows/calls/windows-calls.ts';

/** A call that changes something, as data for another process. Numbers of 64 bits are texts that end with n. */
export type RecordedCall =
  | { part: 'ipHelper' | 'registry' | 'resolverClient'; call: string; given: unknown[] }
  | { part: 'filtering'; call: 'open'; given: ['static' | 'dynamic'] }
  /** `session`: the number of its `open`, counted from 0. */
  | { part: 'session'; session: number; call: string; given: unknown[] };

const reading = new Set([
  'interfaces',
  'ipInterfaces',
  'addresses',
  'routes',
  'resolvers',
  'watch',
  'keys',
  'value',
  'filters',
]);

/** The same calls, with a list of those that change something, which may have others' calls already. */
export function recording(calls: WindowsCalls, into: RecordedCall[]): WindowsCalls {
  /** Each is recorded before it is made, whether it succeeds or not. */
  function recorded<Part extends object>(part: Part, note: (call: string, given: unknown[]) => void): Part {
    return new Proxy(part, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function' || typeof name !== 'string' || reading.has(name)) return found;
        return (...given: unknown[]): unknown => {
          note(name, given);
          return Reflect.apply(found, target, given);
        };
      },
    });
  }
  const plain = <Name extends 'ipHelper' | 'registry' | 'resolverClient'>(part: Name) =>
    recorded(calls[part], (call, given) => into.push({ part, call, given }));
  return {
    ipHelper: plain('ipHelper'),
    registry: plain('registry'),
    resolverClient: plain('resolverClient'),
    filtering: {
      open(kind): FilterSession {
        const session = into.filter(({ part }) => part === 'filtering').length;
        into.push({ part: 'filtering', call: 'open', given: [kind] });
        return recorded(calls.filtering.open(kind), (call, given) =>
          into.push({ part: 'session', session, call, given }),
        );
      },
    },
  };
}

export const writeCalls = (calls: readonly RecordedCall[]): string =>
  JSON.stringify(calls, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));

export const readCalls = (text: string): unknown =>
  JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
