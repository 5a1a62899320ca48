import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import type { Caller, CallListener } from '../system/ports/caller-identity-port.ts';

/** How often it is looked whether the socket is still there, in milliseconds. */
const lookMs = 5_000;

/** Users have to get through it, whatever the umask is. */
const folderMode = 0o755;

/**
 * Listens on a Unix socket, in the place of whatever is there, and again if somebody removes it, with its folder or by
 * mounting something over that: nobody could ask for anything any more. `identify` says who has connected, and throws
 * if the kernel does not; `protect` gives the socket's file its permissions: until then, the umask lets only root write
 * to it.
 */
export async function listenAtPath(
  socketPath: string,
  listener: CallListener,
  { identify, protect }: { identify: (socket: Socket) => Caller; protect: (socketPath: string) => void },
): Promise<{ close(): Promise<void> }> {
  const ends: Promise<void>[] = [];
  let isClosed = false;
  let isOpening = false;
  let isMissing = false;

  function accept(socket: Socket): void {
    let caller: Caller;
    try {
      caller = identify(socket);
    } catch (error) {
      socket.destroy();
      return listener.onProblem('the caller cannot be told', error);
    }
    listener.onCaller(socket, caller);
  }

  async function open({ isFirst }: { isFirst: boolean }): Promise<Server> {
    const folder = path.dirname(socketPath);
    if (!existsSync(folder)) {
      // Later, what is above it is gone for good if it is gone.
      await mkdir(folder, { recursive: isFirst, mode: folderMode });
      await chmod(folder, folderMode);
    }
    await rm(socketPath, { force: true });
    const opened = createServer(accept);
    const listening = once(opened, 'listening');
    opened.listen(socketPath);
    await listening;
    opened.on('error', (error) => listener.onProblem('the socket failed', error));
    protect(socketPath);
    return opened;
  }

  /** Who is connected stays so. The socket's file goes with it. */
  function shut(one: Server): void {
    ends.push(
      new Promise((resolve) => {
        one.close(() => resolve());
      }),
    );
  }

  let server = await open({ isFirst: true });

  async function look(): Promise<void> {
    if (isClosed || isOpening || existsSync(socketPath)) return;
    if (!isMissing) {
      listener.onProblem('the socket was removed, and is made again', new Error(`no ${socketPath}`));
      shut(server);
    }
    const wasMissing = isMissing;
    [isOpening, isMissing] = [true, true];
    try {
      server = await open({ isFirst: false });
      isMissing = false;
      if (isClosed) shut(server);
    } catch (error) {
      if (!wasMissing) listener.onProblem('the socket could not be made again', error);
    } finally {
      isOpening = false;
    }
  }

  const timer = setInterval(() => void look(), lookMs).unref();

  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      if (!isMissing) shut(server);
      await Promise.all(ends);
    },
  };
}
