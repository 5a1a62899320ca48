import { Socket } from 'node:net';
import { pipeClientIdentity, type TokenIdentity } from '#node/os/windows/access-token.ts';
import { orThrow } from '#node/os/windows/last-error.ts';
import { createPipe, pipeConstants } from '../calls/create-pipe.ts';
import { loadPipeCalls, type PipeCalls } from '../calls/pipe-calls.ts';
import { createPipePlace, type PipePlace } from './pipe-place.ts';
import type { Sid } from '#node/os/windows/security-identifier.ts';

/** Who has opened a pipe, as the system says. */
export interface PipeClient extends TokenIdentity {
  pid: number;
}

export interface PipeServerOptions {
  /** `\\.\pipe\…`. */
  path: string;
  /** Who may open it, in the security descriptor definition language. */
  access: string;
  /** The groups of which is asked who calls. */
  groups: readonly Sid[];
  onClient(socket: Socket, client: PipeClient): void;
  /** A client was not served, or no more can be. */
  onProblem(error: unknown): void;
}

/** So many may be about to send it. */
const maxPending = 32;

/**
 * Listens on a named pipe. Node's own server has no way to say who may open it, and none to find out who did. The first
 * byte is read here: only then does the system say who has sent it. Throws if there is a pipe of that name.
 */
export function listenOnPipe(options: PipeServerOptions): { close(): void } {
  const calls = loadPipeCalls();
  const { path, access } = options;
  const places = new Set<PipePlace>();
  let isFirst = true;
  let isClosed = false;

  function nextPipe(): number {
    const pipe = createPipe(path, { isFirst, instances: pipeConstants.PIPE_UNLIMITED_INSTANCES, access });
    isFirst = false;
    return pipe;
  }

  function listen(place: PipePlace): void {
    try {
      place.listen(nextPipe());
    } catch (error) {
      place.close();
      places.delete(place);
      options.onProblem(error);
    }
  }

  function addPlace(): PipePlace {
    const place = createPipePlace(calls, {
      onOpened() {
        const isOneFree = [...places].some((one) => one.isFree());
        if (!isOneFree && places.size < maxPending) listen(addPlace());
      },
      onFirstByte(pipe, byte) {
        serve(pipe, byte);
        if (!isClosed) listen(place);
      },
      onLost() {
        if (!isClosed) listen(place);
      },
    });
    places.add(place);
    return place;
  }

  function serve(pipe: number, byte: Uint8Array): void {
    let client: PipeClient;
    try {
      client = identify(calls, pipe, options.groups);
    } catch (error) {
      calls.close(pipe);
      return options.onProblem(error);
    }
    const descriptor = Number(calls.descriptor(pipe));
    if (descriptor < 0) {
      calls.close(pipe);
      return options.onProblem(new Error('Node takes no more pipes'));
    }
    const socket = new Socket({ fd: descriptor, readable: true, writable: true });
    socket.unshift(byte);
    options.onClient(socket, client);
  }

  // Whoever starts the server is told if this one cannot be had.
  addPlace().listen(nextPipe());
  // What the system calls back does not keep this process alive.
  const alive = setInterval(() => undefined, 2 ** 30);
  return {
    close() {
      isClosed = true;
      clearInterval(alive);
      for (const one of places) one.close();
    },
  };
}

function identify(calls: PipeCalls, pipe: number, groups: readonly Sid[]): PipeClient {
  const identity = pipeClientIdentity(pipe, groups);
  const into: unknown[] = [0];
  orThrow('GetNamedPipeClientProcessId', calls.clientPid(pipe, into));
  return { ...identity, pid: Number(into[0]) };
}
