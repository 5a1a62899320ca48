import { spawn } from 'node:child_process';
import { proxyNodeArguments } from '../proxy-host/proxy-program.ts';
import type { ProgramProcess } from '../system/ports/engine-host-port.ts';
import type { ProgramAccount } from './become-user.ts';
import { programEnvironment } from './command.ts';

/** How to run Node with these arguments, with no more rights than to become the proxy's user. */
export type ProxyCommand = (nodeArguments: readonly string[]) => { file: string; args: string[] };

/**
 * Starts the proxy's program, which becomes `account` for good; `listener`: a socket's descriptor, on which it serves.
 */
export function spawnProxy(options: {
  account: ProgramAccount;
  command: ProxyCommand;
  script: string;
  listener: number;
}): ProgramProcess {
  const { account, command, script, listener } = options;
  const { file, args } = command([
    ...proxyNodeArguments,
    script,
    `--uid=${account.uid}`,
    `--gid=${account.gid}`,
    // The fourth of its descriptors below.
    '--listener=3',
  ]);
  return spawn(file, args, {
    cwd: '/',
    env: programEnvironment,
    stdio: ['pipe', 'pipe', 'pipe', listener],
  });
}
