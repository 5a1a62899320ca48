import { statfsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { isExecutable } from '#node/os/posix/executable.ts';
import type { Say } from '#shared/texts/say.ts';
import { profileFolder } from '../../profile-folder.ts';
import type { Finding } from '../finding.ts';
import { missingUsers } from './missing-users.ts';
import { otherVpns } from './other-vpns.ts';
import { tunnelFileProblem } from './tunnel-file.ts';

/** Users that systemd creates from resources/linux. */
const users = ['waymaker-engine', 'waymaker-proxy'];

/** Where the helper keeps what it has to undo. */
const stateFolder = '/var/lib/waymaker';
/** What the longest lists take there. */
const neededBytes = 2_000_000;

export async function checkThisComputer(env: Readonly<NodeJS.ProcessEnv>, say: Say): Promise<Finding[]> {
  const missing = await missingUsers(users, env);
  const profile = profileFolder({ env, platform: 'linux' });
  const full = [stateFolder, ...(profile === undefined ? [] : [profile])].filter(isFull);
  const device = tunnelFileProblem();
  const others = otherVpns(Object.keys(networkInterfaces()));
  return [
    onProblem('users', missing.length > 0, say('doctor.usersMissing', { users: missing.join(', ') })),
    onProblem(
      'device',
      device !== undefined,
      say(device === 'no-driver' ? 'doctor.deviceWithoutDriver' : 'doctor.deviceMissing'),
    ),
    onProblem('disk', full.length > 0, say('doctor.diskFull', { folders: full.join(', ') })),
    onProblem('filter', !isInstalled('nft', env), say('doctor.filterMissing')),
    onProblem('other-vpn', others.length > 0, say('doctor.otherVpnFound', { devices: others.join(', ') })),
  ];
}

const onProblem = (check: Finding['check'], isProblem: boolean, text: string): Finding =>
  isProblem ? { check, outcome: 'problem', text } : { check, outcome: 'ok' };

/** For everybody but root, who may use a reserve. A folder that is not there yet is none. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < neededBytes;
  } catch {
    return false;
  }
}

/** Users' search paths do not include the directories of administrators' programs. */
function isInstalled(program: string, env: Readonly<NodeJS.ProcessEnv>): boolean {
  const folders = [...(env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin', '/usr/local/sbin'];
  return folders.some((folder) => folder !== '' && isExecutable(path.join(folder, program)));
}
