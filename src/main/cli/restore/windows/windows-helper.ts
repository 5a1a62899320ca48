import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import { isAdministrator } from '#node/os/windows/access-token.ts';
import { systemProgram } from '#node/os/windows/system-program.ts';
import type { RunProgram } from '../../../run-program.ts';
import { stopMs, type RunningHelper } from '../running-helper.ts';

const pollMs = 100;

/**
 * The service, which Windows' own programs stop. Killed, it would be started again within seconds; one that has been
 * stopped is only started by the next start of the computer, or by an administrator.
 */
export function windowsHelper(options: {
  pipe: string;
  env: NodeJS.ProcessEnv;
  run: RunProgram;
}): RunningHelper {
  const { pipe, env, run } = options;
  const program = (name: string) => systemProgram(name, env);

  async function isRunning(): Promise<boolean> {
    const socket = connect(pipe);
    try {
      await once(socket, 'connect');
      return true;
    } catch (error) {
      // All of its pipes may be taken, and it lets no more in.
      return !hasErrorCode(error, 'ENOENT');
    } finally {
      socket.destroy();
    }
  }

  /** False if it still runs. */
  async function hasEnded(): Promise<boolean> {
    const giveUpAt = performance.now() + stopMs;
    while (await isRunning()) {
      if (performance.now() > giveUpAt) return false;
      await delay(pollMs);
    }
    return true;
  }

  return {
    mayRestore: isAdministrator,
    isRunning,
    async stop() {
      // Fails if it has just ended.
      await run(program('sc.exe'), ['stop', 'Waymaker']).catch(() => undefined);
      if (await hasEnded()) return;
      await run(program('taskkill.exe'), ['/F', '/FI', 'SERVICES eq Waymaker']).catch(() => undefined);
      await hasEnded();
    },
  };
}
