import { CallFailed, handleOrThrow, lastError, orThrow } from './last-error.ts';
import { steadyMemory } from './native-library.ts';
import { pipeCodes, type PipeCalls } from './pipe-calls.ts';
import { createObjectWait } from './wait-for-object.ts';

/** Where one client after the other is waited for, each by a pipe of its own. */
export interface PipePlace {
  /** Waits for a client of that pipe, and for its first byte. Throws if the system does not. */
  listen(pipe: number): void;
  /** Whether no client has come yet. */
  isFree(): boolean;
  close(): void;
}

export interface PipePlaceListener {
  /** A client has come, and has said nothing yet. */
  onOpened(): void;
  /** It has: the pipe is the listener's from now on. */
  onFirstByte(pipe: number, byte: Uint8Array): void;
  /** It is gone, or has said nothing for some time; the pipe is closed. */
  onLost(): void;
}

type State =
  | { kind: 'idle' }
  | { kind: 'client'; pipe: number }
  /** The client has come, and its first byte is waited for. */
  | { kind: 'byte'; pipe: number }
  | { kind: 'closed' };

/** For a client's first byte, in milliseconds. */
const firstByteMs = 5_000;
/** The event's place in OVERLAPPED (<minwinbase.h>). */
const eventAt = 24;

export function createPipePlace(calls: PipeCalls, listener: PipePlaceListener): PipePlace {
  const event = handleOrThrow('CreateEventW', calls.createEvent(null, 1, 0, null));
  const overlapped = steadyMemory(32);
  const byte = steadyMemory(1);
  let state: State = { kind: 'idle' };
  /** The system writes to the memory when what has begun ends. */
  let isPending = false;

  const wait = createObjectWait((outcome) => {
    if (outcome === 'signalled') isPending = false;
    switch (state.kind) {
      case 'client':
        return finish(state.pipe) === undefined ? lose(state.pipe) : awaitByte(state.pipe);
      case 'byte':
        return outcome === 'signalled' && finish(state.pipe) === 1 ? give(state.pipe) : lose(state.pipe);
      case 'idle':
      case 'closed':
        return;
      default:
        state satisfies never;
    }
  });

  function begin(): void {
    calls.resetEvent(event);
    overlapped.fill(0);
    overlapped.writeBigInt64LE(BigInt(event), eventAt);
  }

  /** How many bytes have come; undefined if it has failed. */
  function finish(pipe: number): number | undefined {
    const into: unknown[] = [0];
    return Number(calls.outcome(pipe, overlapped, into, 0)) === 0 ? undefined : Number(into[0]);
  }

  function awaitByte(pipe: number): void {
    state = { kind: 'byte', pipe };
    begin();
    // What is there already signals the event, too.
    const isDone = Number(calls.read(pipe, byte, 1, null, overlapped)) !== 0;
    isPending = !isDone && lastError() === pipeCodes.ERROR_IO_PENDING;
    if (!isDone && !isPending) return lose(pipe);
    wait.start(event, firstByteMs);
    listener.onOpened();
  }

  function give(pipe: number): void {
    state = { kind: 'idle' };
    listener.onFirstByte(pipe, Uint8Array.of(byte[0] ?? 0));
  }

  function lose(pipe: number): void {
    end(pipe);
    state = { kind: 'idle' };
    listener.onLost();
  }

  function end(pipe: number): void {
    if (isPending) {
      calls.cancel(pipe, overlapped);
      // Until it has ended. Of what has failed at once, nobody would ever say that.
      calls.outcome(pipe, overlapped, [0], 1);
      isPending = false;
    }
    calls.disconnect(pipe);
    calls.close(pipe);
  }

  return {
    isFree: () => state.kind === 'client',
    listen(pipe) {
      state = { kind: 'client', pipe };
      begin();
      const isDone = Number(calls.connect(pipe, overlapped)) !== 0;
      const code = isDone ? pipeCodes.ERROR_PIPE_CONNECTED : lastError();
      isPending = code === pipeCodes.ERROR_IO_PENDING;
      switch (code) {
        case pipeCodes.ERROR_IO_PENDING:
          return wait.start(event);
        case pipeCodes.ERROR_PIPE_CONNECTED:
        // It is gone already, which reading says.
        case pipeCodes.ERROR_NO_DATA:
          orThrow('SetEvent', calls.setEvent(event));
          return wait.start(event);
        default:
          calls.close(pipe);
          state = { kind: 'idle' };
          throw new CallFailed('ConnectNamedPipe', code);
      }
    },
    close() {
      wait.close();
      if (state.kind === 'client' || state.kind === 'byte') end(state.pipe);
      state = { kind: 'closed' };
      calls.close(event);
    },
  };
}
