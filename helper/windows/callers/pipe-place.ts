import { CallFailed, handleOrThrow, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { steadyMemory } from '#node/os/windows/native-library.ts';
import { placeOf, sizeOf } from '#node/os/windows/structure.ts';
import { OVERLAPPED, pipeCodes, type PipeCalls } from '../calls/pipe-calls.ts';
import { createObjectWait } from '../calls/wait-for-object.ts';

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
  /** The system has been asked to give up. */
  | { kind: 'cancelled'; pipe: number }
  | { kind: 'closed' };

/** For a client's first byte, in milliseconds. */
const firstByteMs = 5_000;
const eventAt = placeOf(OVERLAPPED, 'hEvent');

export function createPipePlace(calls: PipeCalls, listener: PipePlaceListener): PipePlace {
  const event = handleOrThrow('CreateEventW', calls.createEvent(null, 1, 0, null));
  const overlapped = steadyMemory(sizeOf(OVERLAPPED));
  const byte = steadyMemory(1);
  let state: State = { kind: 'idle' };

  const wait = createObjectWait(review);

  function review(outcome: 'signalled' | 'late'): void {
    if (state.kind === 'idle' || state.kind === 'closed') return;
    const { pipe } = state;
    if (outcome === 'late') return cancel(pipe);
    const count = finish(pipe);
    // What has ended may be noted down a moment after it was said.
    if (count === 'not yet') return void setImmediate(review, outcome);
    if (count === 'failed' || state.kind === 'cancelled') return lose(pipe);
    if (state.kind === 'client') return awaitByte(pipe);
    return count === 1 ? give(pipe) : lose(pipe);
  }

  function begin(): void {
    calls.resetEvent(event);
    overlapped.fill(0);
    overlapped.writeBigInt64LE(BigInt(event), eventAt);
  }

  /** How many bytes have come. */
  function finish(pipe: number): number | 'failed' | 'not yet' {
    const into: unknown[] = [0];
    if (Number(calls.outcome(pipe, overlapped, into, 0)) !== 0) return Number(into[0]);
    return lastError() === pipeCodes.ERROR_IO_INCOMPLETE ? 'not yet' : 'failed';
  }

  function awaitByte(pipe: number): void {
    state = { kind: 'byte', pipe };
    begin();
    // What is there already signals the event, too.
    const isDone = Number(calls.read(pipe, byte, 1, null, overlapped)) !== 0;
    if (!isDone && lastError() !== pipeCodes.ERROR_IO_PENDING) return lose(pipe);
    wait.start(event, firstByteMs);
    listener.onOpened();
  }

  function give(pipe: number): void {
    state = { kind: 'idle' };
    listener.onFirstByte(pipe, Uint8Array.of(byte[0] ?? 0));
  }

  /** Not waited for here: the event says when it has happened. */
  function cancel(pipe: number): void {
    state = { kind: 'cancelled', pipe };
    calls.cancel(pipe, overlapped);
    wait.start(event);
  }

  function lose(pipe: number): void {
    end(pipe);
    state = { kind: 'idle' };
    listener.onLost();
  }

  function end(pipe: number): void {
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
      switch (code) {
        case pipeCodes.ERROR_IO_PENDING:
          return wait.start(event);
        case pipeCodes.ERROR_PIPE_CONNECTED:
        // It is gone already, which reading says.
        case pipeCodes.ERROR_NO_DATA:
          // ConnectNamedPipe has written that something is pending, which nothing will ever end.
          begin();
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
      // Its memory stays with the callback, for what the system may still write.
      if ('pipe' in state) {
        calls.cancel(state.pipe, overlapped);
        end(state.pipe);
      }
      state = { kind: 'closed' };
    },
  };
}
