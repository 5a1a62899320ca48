import koffi from 'koffi';

type Call = (...given: unknown[]) => number;
type Calls = Record<
  | 'setns'
  | 'unshare'
  | 'socket'
  | 'bind'
  | 'connect'
  | 'sendto'
  | 'recv'
  | 'read'
  | 'write'
  | 'setsockopt'
  | 'getsockopt'
  | 'ioctl'
  | 'nameToIndex'
  | 'mount',
  Call
> & { poll: Call & { async(...given: unknown[]): void } };

let loaded: Calls | undefined;

/** What the self-test calls of libc, loaded when it is first needed: other systems have no such functions. */
export function calls(): Calls {
  if (loaded) return loaded;
  const libc = koffi.load(null);
  const declared = (declaration: string) => libc.func(declaration) as unknown as Calls['poll'];
  loaded = {
    setns: declared('int setns(int, int)'),
    unshare: declared('int unshare(int)'),
    socket: declared('int socket(int, int, int)'),
    bind: declared('int bind(int, uint8_t *, uint32_t)'),
    connect: declared('int connect(int, uint8_t *, uint32_t)'),
    sendto: declared('long sendto(int, uint8_t *, size_t, int, uint8_t *, uint32_t)'),
    recv: declared('long recv(int, _Out_ uint8_t *, size_t, int)'),
    read: declared('long read(int, _Out_ uint8_t *, size_t)'),
    write: declared('long write(int, uint8_t *, size_t)'),
    setsockopt: declared('int setsockopt(int, int, int, uint8_t *, uint32_t)'),
    getsockopt: declared('int getsockopt(int, int, int, _Out_ uint8_t *, _Inout_ uint32_t *)'),
    ioctl: declared('int ioctl(int, unsigned long, uint8_t *)'),
    nameToIndex: declared('uint32_t if_nametoindex(const char *)'),
    mount: declared('int mount(const char *, const char *, const char *, unsigned long, const char *)'),
    poll: declared('int poll(_Inout_ uint8_t *, unsigned long, int)'),
  };
  return loaded;
}

/** A call that the system has refused. */
export class CallFailed extends Error {
  override name = 'CallFailed';

  constructor(call: string) {
    super(`${call}: errno ${koffi.errno()}`);
  }
}

/** The call's result. Throws `CallFailed` if the system has refused. */
export function checked(call: string, result: number): number {
  if (result < 0) throw new CallFailed(call);
  return result;
}
