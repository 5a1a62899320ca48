import type { ProgramProcess } from '../system/ports/engine-host-port.ts';
import type { EngineEnd } from './engine-port.ts';

/** What keeps any program from being started now, and soon may not: too few processes, file descriptors, memory. */
const passing: readonly unknown[] = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'];

/** How an engine ends whose program could not be started. */
export const endUnstarted = (error: Error): EngineEnd =>
  'code' in error && passing.includes(error.code) ? 'failed' : 'absent';

/** Where no file descriptor is left, `spawn` returns a process without streams, and tells of it by an event. */
export function expectStreams<Started extends ProgramProcess>(started: Started): Started {
  if (started.stdio as unknown) return started;
  started.once('error', () => undefined);
  throw new Error('no file descriptor is left for a program');
}
