import koffi from 'koffi';
import { constants } from './darwin.ts';

/** A call that the system refused. */
export class CallFailed extends Error {
  override name = 'CallFailed';
  readonly errno: number;

  constructor(call: string, errno: number) {
    super(`${call} failed with errno ${errno}`);
    this.errno = errno;
  }
}

/**
 * Calls of macOS's C library with the memory that they are given. All throw `CallFailed`. Nothing is loaded before the
 * first of them; `library` is a file, or null for what this process has loaded already.
 */
export interface Libc {
  socket(domain: number, type: number, protocol: number): number;
  connect(descriptor: number, address: Buffer): void;
  bind(descriptor: number, address: Buffer): void;
  listen(descriptor: number, backlog: number): void;
  ioctl(descriptor: number, request: number, argument: Buffer): void;
  /** The first bytes of `value` that the system has written. */
  getOption(descriptor: number, level: number, option: number, value: Buffer): Buffer;
  setOption(descriptor: number, level: number, option: number, value: Buffer): void;
  write(descriptor: number, bytes: Buffer): void;
  /** Has readers of a socket find its end. */
  endReading(descriptor: number): void;
  closeOnExec(descriptor: number): void;
  setNonBlocking(descriptor: number): void;
  /** Another descriptor of the same open file, also closed in programs that are started. */
  duplicate(descriptor: number): number;
  close(descriptor: number): void;
  /** What is behind this name (sysctl(3)), all of it. */
  sysctl(name: readonly number[]): Buffer;
}

type Call = (...values: unknown[]) => unknown;

/** While the table grows, what it needs is more than was asked for (ENOMEM). */
const sysctlTries = 10;

export function createLibc(library: string | null): Libc {
  let loaded: ReturnType<typeof load> | undefined;
  const native = () => (loaded ??= load(library));
  const done = (name: string, result: unknown): number => {
    const status = Number(result);
    if (status < 0) throw new CallFailed(name, koffi.errno());
    return status;
  };

  return {
    socket: (domain, type, protocol) => done('socket', native().socket(domain, type, protocol)),
    connect: (descriptor, address) =>
      void done('connect', native().connect(descriptor, address, address.length)),
    bind: (descriptor, address) => void done('bind', native().bind(descriptor, address, address.length)),
    listen: (descriptor, backlog) => void done('listen', native().listen(descriptor, backlog)),
    ioctl: (descriptor, request, argument) =>
      void done('ioctl', native().ioctl(descriptor, request, 'void *', argument)),
    getOption(descriptor, level, option, value) {
      const length = new Uint32Array([value.length]);
      done('getsockopt', native().getsockopt(descriptor, level, option, value, length));
      return value.subarray(0, length[0]);
    },
    setOption: (descriptor, level, option, value) =>
      void done('setsockopt', native().setsockopt(descriptor, level, option, value, value.length)),
    write(descriptor, bytes) {
      const written = done('write', native().write(descriptor, bytes, bytes.length));
      if (written !== bytes.length) throw new Error(`only ${written} bytes of ${bytes.length} were written`);
    },
    endReading: (descriptor) => void done('shutdown', native().shutdown(descriptor, constants.SHUT_RD)),
    closeOnExec: (descriptor) =>
      void done('fcntl', native().fcntl(descriptor, constants.F_SETFD, 'int', constants.FD_CLOEXEC)),
    setNonBlocking: (descriptor) =>
      void done('fcntl', native().fcntl(descriptor, constants.F_SETFL, 'int', constants.O_NONBLOCK)),
    duplicate: (descriptor) => done('fcntl', native().fcntl(descriptor, constants.F_DUPFD_CLOEXEC, 'int', 0)),
    close: (descriptor) => void done('close', native().close(descriptor)),
    sysctl(name) {
      const mib = Int32Array.from(name);
      for (let tries = 1; ; tries += 1) {
        const length = new BigUint64Array(1);
        done('sysctl', native().sysctl(mib, mib.length, null, length, null, 0));
        const needed = Number(length[0]);
        if (needed === 0) return Buffer.alloc(0);
        // Room for what is added in between.
        const content = Buffer.alloc(needed + Math.ceil(needed / 4));
        length[0] = BigInt(content.length);
        const status = Number(native().sysctl(mib, mib.length, content, length, null, 0));
        if (status === 0) return content.subarray(0, Number(length[0]));
        const errno = koffi.errno();
        if ((errno !== constants.ENOMEM && errno !== constants.ENOBUFS) || tries === sysctlTries)
          throw new CallFailed('sysctl', errno);
      }
    },
  };
}

/** On arm64, variadic functions take their further arguments in another way: they have to be declared so. */
function load(library: string | null) {
  const file = koffi.load(library);
  /** Each is looked for when it is first called. */
  const bind = (declaration: string): Call => {
    let bound: Call | undefined;
    return (...values) => (bound ??= file.func(declaration) as Call)(...values);
  };
  return {
    socket: bind('int socket(int, int, int)'),
    connect: bind('int connect(int, const void *, uint32_t)'),
    bind: bind('int bind(int, const void *, uint32_t)'),
    listen: bind('int listen(int, int)'),
    ioctl: bind('int ioctl(int, unsigned long, ...)'),
    getsockopt: bind('int getsockopt(int, int, int, _Out_ void *, _Inout_ uint32_t *)'),
    setsockopt: bind('int setsockopt(int, int, int, const void *, uint32_t)'),
    write: bind('intptr_t write(int, const void *, size_t)'),
    shutdown: bind('int shutdown(int, int)'),
    fcntl: bind('int fcntl(int, int, ...)'),
    close: bind('int close(int)'),
    sysctl: bind('int sysctl(int32_t *, uint32_t, void *, _Inout_ size_t *, void *, size_t)'),
  };
}
