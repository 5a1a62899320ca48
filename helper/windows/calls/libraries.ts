import koffi from 'koffi';

/** A type of koffi's, or its name. */
export type NativeType = Parameters<typeof koffi.sizeof>[0];

/** The file of each library, as the loader takes it. Tests put a double in the place of one. */
export interface Libraries {
  iphlpapi: string;
  fwpuclnt: string;
  advapi32: string;
  kernel32: string;
  dnsapi: string;
  userenv: string;
}

export const systemLibraries: Libraries = {
  iphlpapi: 'iphlpapi.dll',
  fwpuclnt: 'fwpuclnt.dll',
  advapi32: 'advapi32.dll',
  kernel32: 'kernel32.dll',
  dnsapi: 'dnsapi.dll',
  userenv: 'userenv.dll',
};

/** A function of a library. What it returns has to be read with `Number` or `BigInt`: koffi gives either. */
export type NativeCall = (...given: readonly unknown[]) => unknown;

export type WaitingCall = (...given: unknown[]) => Promise<unknown>;

/** Loads a library; throws if there is none. `bind` finds its functions, with the system's calling convention. */
export function loadLibrary(file: string) {
  const library = koffi.load(file);
  return {
    bind: (name: string, result: NativeType, parameters: NativeType[]): NativeCall =>
      library.func('__stdcall', name, result, parameters) as NativeCall,
    /** For a call that waits, or during which the system calls back: it runs in another thread. */
    bindWaiting:
      (name: string, result: NativeType, parameters: NativeType[]): WaitingCall =>
      (...given) =>
        new Promise((resolve, reject) => {
          library
            .func('__stdcall', name, result, parameters)
            .async(...given, (error: unknown, outcome: unknown) => {
              if (error) reject(new Error(`${name} cannot be called`, { cause: error }));
              else resolve(outcome);
            });
        }),
  };
}
/** Parameters by which a function returns something: an array with one place, or an object. */
export const returned = (type: NativeType) => koffi.out(koffi.pointer(type));
export const changed = (type: NativeType) => koffi.inout(koffi.pointer(type));
