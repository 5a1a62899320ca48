import koffi from 'koffi';

/** A type of koffi's, or its name. */
export type NativeType = Parameters<typeof koffi.sizeof>[0];

/** A function of a library. What it returns has to be read with `Number` or `BigInt`: koffi gives either. */
export type NativeCall = (...given: readonly unknown[]) => unknown;

/**
 * Loads a library; throws if there is none. `bind` finds its functions, with the system's calling convention; a handle
 * or an address is a number (`uintptr`).
 */
export function loadLibrary(file: string) {
  const library = koffi.load(file);
  return {
    bind: (name: string, result: NativeType, parameters: NativeType[]): NativeCall =>
      library.func('__stdcall', name, result, parameters) as NativeCall,
    /** For a call that waits, or during which the system calls back: it runs in another thread. */
    bindWaiting: (
      name: string,
      result: NativeType,
      parameters: NativeType[],
    ): ((...given: unknown[]) => Promise<unknown>) => {
      const native = library.func('__stdcall', name, result, parameters);
      return (...given) =>
        new Promise((resolve, reject) => {
          native.async(...given, (error: unknown, outcome: unknown) => {
            if (error) reject(new Error(`${name} cannot be called`, { cause: error }));
            else resolve(outcome);
          });
        });
    },
  };
}

/** Parameters by which a function returns something: an array with one place. */
export const returned = (type: NativeType) => koffi.out(koffi.pointer(type));
export const changed = (type: NativeType) => koffi.inout(koffi.pointer(type));

/** Memory that the system keeps the address of: never in V8's heap, where small arrays are, which moves them. */
export const steadyMemory = (length: number): Buffer => Buffer.allocUnsafeSlow(Math.max(128, length)).fill(0);

/** Where such memory is. */
export const addressOf = (memory: Buffer): bigint => koffi.address(memory);
