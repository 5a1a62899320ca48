import koffi from 'koffi';
import { z } from 'zod/mini';
import { orThrow } from '#node/os/windows/last-error.ts';
import { addressOf, loadLibrary, returned, steadyMemory } from '#node/os/windows/native-library.ts';
import {
  PROCESS_INFORMATION,
  processStartConstants as constants,
  STARTUPINFOW,
} from '../calls/process-structures.ts';

/** The one that the user of a session sees; without a name, it would be that of the service that installs. */
const userDesktop = String.raw`winsta0\default`;

const started = z.object({ hProcess: z.coerce.number(), hThread: z.coerce.number() });

/** The sessions of these processes, each once. Those that have ended are left out. */
export function sessionsOf(pids: readonly number[]): number[] {
  const find = loadLibrary('kernel32.dll').bind('ProcessIdToSessionId', 'int', [
    'uint32',
    returned('uint32'),
  ]);
  const sessions = pids.flatMap((pid) => {
    const into: unknown[] = [0];
    return Number(find(pid, into)) === 0 ? [] : [Number(into[0])];
  });
  return [...new Set(sessions)];
}

/**
 * Starts a program in a session as whoever is logged in there, with their rights and their environment: for an installer
 * that the system runs, which is in a session that nobody sees. Throws `CallFailed`, as for anybody but the system.
 */
export function startInSession(file: string, folder: string, session: number): void {
  const { bind } = loadLibrary('kernel32.dll');
  const advapi = loadLibrary('advapi32.dll');
  const userenv = loadLibrary('userenv.dll');
  const native = {
    token: loadLibrary('wtsapi32.dll').bind('WTSQueryUserToken', 'int', ['uint32', returned('intptr')]),
    makeEnvironment: userenv.bind('CreateEnvironmentBlock', 'int', [returned('uintptr'), 'intptr', 'int']),
    freeEnvironment: userenv.bind('DestroyEnvironmentBlock', 'int', ['uintptr']),
    start: advapi.bind('CreateProcessAsUserW', 'int', [
      'intptr',
      'str16',
      'void *',
      'void *',
      'void *',
      'int',
      'uint32',
      'uintptr',
      'str16',
      koffi.pointer(STARTUPINFOW.type),
      'void *',
    ]),
    close: bind('CloseHandle', 'int', ['intptr']),
  };
  const desktop = wide(userDesktop);
  // Otherwise it would be the path without quotes, of which the program takes what follows a blank for an argument.
  const words = wide(`"${file}"`);
  const token: unknown[] = [0];
  orThrow('WTSQueryUserToken', native.token(session, token));
  const environment: unknown[] = [0];
  try {
    orThrow('CreateEnvironmentBlock', native.makeEnvironment(environment, token[0], 0));
    const into = steadyMemory(koffi.sizeof(PROCESS_INFORMATION.type));
    const flags = constants.CREATE_UNICODE_ENVIRONMENT;
    orThrow(
      'CreateProcessAsUserW',
      native.start(
        token[0],
        file,
        words,
        null,
        null,
        0,
        flags,
        environment[0],
        folder,
        startup(addressOf(desktop)),
        into,
      ),
    );
    const { hProcess, hThread } = started.parse(koffi.decode(into, PROCESS_INFORMATION.type));
    native.close(hProcess);
    native.close(hThread);
  } finally {
    if (Number(environment[0]) !== 0) native.freeEnvironment(environment[0]);
    native.close(token[0]);
    // The system had only the address of it.
    desktop.fill(0);
  }
}

/** With the zero at its end. */
function wide(text: string): Buffer {
  const memory = steadyMemory(2 * (text.length + 1));
  memory.write(text, 'utf16le');
  return memory;
}

const startup = (desktop: bigint) =>
  ({
    cb: koffi.sizeof(STARTUPINFOW.type),
    lpReserved: 0,
    lpDesktop: desktop,
    lpTitle: 0,
    dwX: 0,
    dwY: 0,
    dwXSize: 0,
    dwYSize: 0,
    dwXCountChars: 0,
    dwYCountChars: 0,
    dwFillAttribute: 0,
    dwFlags: 0,
    wShowWindow: 0,
    cbReserved2: 0,
    lpReserved2: 0,
    hStdInput: 0,
    hStdOutput: 0,
    hStdError: 0,
  }) satisfies Record<keyof typeof STARTUPINFOW.members, number | bigint>;
