import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readPeerNumber } from '#node/os/peer-process.ts';
import { stopMs, type RunningHelper } from '../running-helper.ts';

/** The process that listens on a socket, which only root can end. */
export function posixHelper(socketPath: string, platform: NodeJS.Platform): RunningHelper {
  return {
    mayRestore: () => process.getuid?.() === 0,
    isRunning: async () => (await askAt(socketPath, () => true)) ?? false,
    async stop() {
      const pid = await askAt(socketPath, (socket) => readPeerNumber(socket, platform));
      // Of a process that has no number here, the system says 0, which would mean this process and its like.
      if (pid === undefined || pid < 1) return;
      sendSignal(pid, 'SIGTERM');
      const giveUpAt = performance.now() + stopMs;
      while (sendSignal(pid, 0)) {
        if (performance.now() > giveUpAt) sendSignal(pid, 'SIGKILL');
        await delay(50);
      }
    },
  };
}

/** What is to be known of a connection to that socket; undefined if nobody answers, or is gone by then. */
async function askAt<Known>(socketPath: string, ask: (socket: Socket) => Known): Promise<Known | undefined> {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect');
    return ask(socket);
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
