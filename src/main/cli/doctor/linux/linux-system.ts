import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { SystemView } from '../system-view.ts';
import { isByDestination, networksIntoTunnel, routeTo } from './kernel-route.ts';
import { checkThisComputer } from './this-computer.ts';

export const linuxSystem: SystemView = {
  check: checkThisComputer,
  hasHelperRefused,
  routeTo,
  isByDestination,
  networksIntoTunnel,
  isInGroup,
  listenerUser,
};

/** The status with which it ends then (helper/check-installation.ts). */
const refusedStatus = '78';

async function hasHelperRefused(): Promise<boolean> {
  const show = ['show', '--property=ExecMainStatus', '--value', 'waymaker-helper.service'];
  const { stdout } = await promisify(execFile)('systemctl', show).catch(() => ({ stdout: '' }));
  return stdout.trim() === refusedStatus;
}

function isInGroup(): boolean {
  try {
    const group = `/${process.getuid?.()}/inside`;
    return readFileSync('/proc/self/cgroup', 'utf8')
      .split('\n')
      .some((line) => line.endsWith(group));
  } catch {
    return false;
  }
}

/** By proc_net_tcp in the kernel's documentation. */
async function listenerUser(address: string): Promise<number | undefined> {
  const port = Number(address.split(':')[1]).toString(16).toUpperCase().padStart(4, '0');
  const lines = await readFile('/proc/net/tcp', 'utf8').catch(() => '');
  for (const line of lines.split('\n')) {
    const [, local, , state, , , , uid] = line.trim().split(/\s+/);
    // 127.0.0.1 in this machine's byte order; 0A is TCP_LISTEN.
    if (local?.endsWith(`7F:${port}`) && state === '0A') return Number(uid);
  }
  return undefined;
}
