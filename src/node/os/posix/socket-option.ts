import koffi from 'koffi';

/** getsockopt(2): 0, or -1 with `koffi.errno()`. `length`: the buffer's, in bytes, then the value's. */
export type GetSocketOption = (
  descriptor: number,
  level: number,
  option: number,
  value: Buffer,
  length: Uint32Array,
) => number;

/** `library`: a file, or null for what this process has loaded already. */
export const loadGetSocketOption = (library: string | null): GetSocketOption =>
  koffi
    .load(library)
    .func('int getsockopt(int, int, int, _Out_ void *, _Inout_ uint32_t *)') as GetSocketOption;
