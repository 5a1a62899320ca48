import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readPeerProcess } from '#node/os/peer-process.ts';
import { stopMs, type RunningHelper } from './running-helper.ts';

/** The process that listens on a socket, which only root can end. */
export function posixHelper(socketPath: string, platform: NodeJS.Platform): RunningHelper {
  return {
    mayRestore: () => process.getuid?.() === 0,
    isRunning: async () => (await processOn(socketPath, platform)) !== undefined,
    async stop() {
      const pid = await processOn(socketPath, platform);
      if (pid === undefined) return;
      sendSignal(pid, 'SIGTERM');
      const giveUpAt = performance.now() + stopMs;
      while (sendSignal(pid, 0)) {
        if (performance.now() > giveUpAt) sendSignal(pid, 'SIGKILL');
        await delay(50);
      }
    },
  };
}

/** Undefined if none does. */
async function processOn(socketPath: string, platform: NodeJS.Platform): Promise<number | undefined> {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect');
    return readPeerProcess(socket, platform)?.pid;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** False if there is no such process any more. */
function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
