import koffi from 'koffi';
import { Socket } from 'node:net';
import { CallFailed, type Libc } from './libc.ts';

/** What programs tell each other by name (notify(3)). */
export interface Notifications {
  /** Calls back after each of that name. Returns a function that ends the watch. */
  watch(name: string, onNotification: () => void): () => void;
}

type Call = (...values: unknown[]) => unknown;

/** <notify.h>, NOTIFY_STATUS_OK. */
const ok = 0;

/** `library`: a file, or null for what this process has loaded already. */
export function createNotifications(libc: Pick<Libc, 'duplicate'>, library: string | null): Notifications {
  let loaded: ReturnType<typeof load> | undefined;
  const native = () => (loaded ??= load(library));
  return {
    watch(name, onNotification) {
      const [descriptor, token] = [new Int32Array(1), new Int32Array(1)];
      const status = Number(native().register(name, descriptor, 0, token));
      const [opened, registered] = [descriptor[0], token[0]];
      if (status !== ok || opened === undefined || registered === undefined)
        throw new CallFailed('notify_register_file_descriptor', status);
      // Each closes its own: the socket this one, and the library the other.
      const socket = new Socket({ fd: libc.duplicate(opened), readable: true, writable: false });
      socket.on('data', () => onNotification());
      socket.on('error', () => undefined);
      return () => {
        socket.destroy();
        native().cancel(registered);
      };
    },
  };
}

function load(library: string | null) {
  const file = koffi.load(library);
  const register = file.func(
    'uint32_t notify_register_file_descriptor(const char *, _Out_ int *, int, _Out_ int *)',
  ) as Call;
  return { register, cancel: file.func('uint32_t notify_cancel(int)') as Call };
}
