import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import koffi from 'koffi';
import { z } from 'zod/mini';
import { CallFailed, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { addressOf, steadyMemory } from '#node/os/windows/native-library.ts';
import { withAccess } from '#node/os/windows/security-descriptor.ts';
import { createObjectWait } from '../calls/wait-for-object.ts';
import { loadProcessCalls, type ProcessCalls, type ProcessLibraries } from '../calls/process-calls.ts';
import {
  PROCESS_INFORMATION,
  processStartConstants as constants,
  STARTUPINFOEXW,
  type STARTUPINFOW,
} from '../calls/process-structures.ts';
import { quoted } from './command-line.ts';
import { prepareInherited, type Inherited, type InheritedHandles } from './inherited-handles.ts';
import { makeJob } from './limited-job.ts';
import { makeRestrictedToken } from './restricted-token.ts';

/** The other services of that account are not to open the process, which may have a session's cookie. */
const systemOnly = 'D:P(A;;GA;;;SY)(A;;GA;;;BA)';
/** Anything but an end by itself. */
const killedStatus = 1;

export interface RestrictedOptions {
  env: Readonly<Record<string, string>>;
  stdio: readonly Inherited[];
  /** Whether it may continue when this process has ended. */
  mayOutlive: boolean;
  libraries?: ProcessLibraries;
  onNote: (note: string) => void;
}

const started = z.object({
  hProcess: z.coerce.number(),
  hThread: z.coerce.number(),
  dwProcessId: z.number(),
});

/** A process as `spawn` of Node gives one, as far as it is used here. */
class RestrictedProcess extends EventEmitter {
  readonly pid: number;
  readonly stdio: (Socket | null)[];
  readonly #calls: ProcessCalls;
  #handle: number;
  #job: number;

  constructor(calls: ProcessCalls, found: z.output<typeof started>, job: number, sockets: (Socket | null)[]) {
    super();
    this.#calls = calls;
    this.#handle = found.hProcess;
    this.#job = job;
    this.pid = found.dwProcessId;
    this.stdio = sockets;
    const wait = createObjectWait(() => {
      wait.close();
      void this.#end();
    });
    wait.start(this.#handle);
  }

  kill(): boolean {
    return this.#handle !== 0 && Number(this.#calls.terminate(this.#handle, killedStatus)) !== 0;
  }

  async #end(): Promise<void> {
    const into: unknown[] = [0];
    const code = Number(this.#calls.exitCode(this.#handle, into)) === 0 ? null : Number(into[0]);
    this.#calls.close(this.#handle);
    this.#handle = 0;
    // Ends what it has started, if it could.
    this.#calls.close(this.#job);
    this.#job = 0;
    this.emit('exit', code, null);
    const [, stdout, stderr] = this.stdio;
    await Promise.all([stdout, stderr].map(closed));
    this.emit('close', code, null);
  }
}

/** What it has said last may still be on its way. */
async function closed(socket: Socket | null | undefined): Promise<void> {
  if (!socket || socket.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  socket.resume();
  await promise;
}

/**
 * Starts a program with as few rights as this system gives: as an account without any, without privileges, in a job
 * that limits its memory, starts no process and has no windows, and with no handle but those of `stdio`. Throws
 * `CallFailed`.
 */
export function startRestricted(
  file: string,
  args: readonly string[],
  { env, stdio, mayOutlive, libraries, onNote }: RestrictedOptions,
): RestrictedProcess {
  const calls = loadProcessCalls(libraries);
  const token = makeRestrictedToken(calls);
  if (token.user === 'own') onNote('the program runs as the user of the helper');
  for (const note of token.notes) onNote(note);
  const job = makeJob(calls, mayOutlive, onNote);
  const inherited = prepareInherited(calls, stdio);
  try {
    const found = create(calls, { token: token.handle, file, args, env, inherited });
    try {
      orThrow('AssignProcessToJobObject', calls.assign(job, found.hProcess));
      expectStopped(Number(calls.resume(found.hThread)));
    } catch (error) {
      calls.terminate(found.hProcess, killedStatus);
      calls.close(found.hProcess);
      throw error;
    } finally {
      calls.close(found.hThread);
    }
    return new RestrictedProcess(calls, found, job, inherited.sockets);
  } catch (error) {
    calls.close(job);
    for (const socket of inherited.sockets) socket?.destroy();
    throw error;
  } finally {
    inherited.close();
    calls.close(token.handle);
  }
}

/** ResumeThread returns how often the thread had been stopped. */
function expectStopped(times: number): void {
  if (times !== 1) throw new CallFailed('ResumeThread', lastError());
}

function create(
  calls: ProcessCalls,
  given: {
    token: number;
    file: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
    inherited: InheritedHandles;
  },
): z.output<typeof started> {
  const { token, file, args, env, inherited } = given;
  const { handles, table } = inherited;
  const words = wide([file, ...args].map(quoted).join(' '));
  const environment = wide(
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}\0`)
      .join(''),
  );
  // Not this process's: that account has no access to it, and gets its own.
  const desktop = wide('');
  const list = handleList(calls, handles);
  const into = steadyMemory(koffi.sizeof(PROCESS_INFORMATION.type));
  const startup = {
    StartupInfo: {
      cb: koffi.sizeof(STARTUPINFOEXW.type),
      lpReserved: 0,
      lpDesktop: addressOf(desktop),
      lpTitle: 0,
      dwX: 0,
      dwY: 0,
      dwXSize: 0,
      dwYSize: 0,
      dwXCountChars: 0,
      dwYCountChars: 0,
      dwFillAttribute: 0,
      dwFlags: constants.STARTF_USESTDHANDLES,
      wShowWindow: 0,
      cbReserved2: 4 + handles.length * 9,
      lpReserved2: addressOf(table),
      hStdInput: handles[0] ?? 0,
      hStdOutput: handles[1] ?? 0,
      hStdError: handles[2] ?? 0,
    } satisfies Record<keyof typeof STARTUPINFOW.members, number | bigint>,
    lpAttributeList: addressOf(list.memory),
  };
  const flags =
    constants.CREATE_SUSPENDED |
    constants.CREATE_UNICODE_ENVIRONMENT |
    constants.EXTENDED_STARTUPINFO_PRESENT |
    constants.CREATE_NO_WINDOW;
  try {
    withAccess(systemOnly, (access) =>
      orThrow(
        'CreateProcessAsUserW',
        calls.createProcess(token, file, words, access, access, 1, flags, environment, null, startup, into),
      ),
    );
    return started.parse(koffi.decode(into, PROCESS_INFORMATION.type));
  } finally {
    list.free();
    // The system had only the address of it.
    desktop.fill(0);
  }
}

/** Has the process inherit these handles and none of those that others are making at the same time. */
function handleList(calls: ProcessCalls, handles: readonly number[]): { memory: Buffer; free(): void } {
  const size: unknown[] = [0];
  // It says how much it takes, and fails.
  calls.initList(null, 1, 0, size);
  const memory = steadyMemory(Number(size[0]));
  orThrow('InitializeProcThreadAttributeList', calls.initList(memory, 1, 0, size));
  const all = steadyMemory(8 * handles.length);
  for (const [index, handle] of handles.entries()) all.writeBigInt64LE(BigInt(handle), 8 * index);
  orThrow(
    'UpdateProcThreadAttribute',
    calls.updateList(
      memory,
      0,
      constants.PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
      all,
      8 * handles.length,
      null,
      null,
    ),
  );
  return {
    memory,
    free() {
      calls.deleteList(memory);
      // The list only has its address.
      all.fill(0);
    },
  };
}

/** With the zero at its end. */
const wide = (text: string): Buffer => {
  const bytes = Buffer.from(`${text}\0`, 'utf16le');
  const memory = steadyMemory(bytes.length);
  bytes.copy(memory);
  return memory;
};
