// Runs as root, which tunnels need, leave nothing in a user's clone that this user cannot change. Plain JavaScript, see
// run.js.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** What is made in a clone by running it. */
const made = ['node_modules', 'out', '.waymaker'];

/**
 * As whom to run what writes to the clone, in options of child_process, where it belongs to somebody else than root, who
 * runs this; undefined where it does not, or nothing is known of who that is.
 */
export function ownerInPlaceOfRoot(root) {
  const owner = foreignOwner(root);
  if (!owner) return undefined;
  const { stdout } = spawnSync('getent', ['passwd', String(owner.uid)], { encoding: 'utf8' });
  const home = stdout?.split(':')[5];
  if (!home) return undefined;
  // npm hands the files of who runs it down, root's cache among them.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name));
  return { ...owner, env: { ...Object.fromEntries(own), HOME: home } };
}

function foreignOwner(root) {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(root);
  return uid === 0 ? undefined : { uid, gid };
}

/** Makes what root has made in a user's clone the user's. */
export function giveBack(root) {
  const owner = foreignOwner(root);
  const folders = made.map((name) => path.join(root, name)).filter((folder) => existsSync(folder));
  if (!owner || folders.length === 0) return;
  // Not what a link leads to, nor a file that has a name elsewhere, too: it could be one of the system's.
  const ours = ['-xdev', '-uid', '0', '(', '-type', 'd', '-o', '-links', '1', ')'];
  spawnSync('find', [...folders, ...ours, '-exec', 'chown', '-h', `${owner.uid}:${owner.gid}`, '{}', '+'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** What keeps this user from working in the clone, in one line with the way out; undefined if nothing does. */
export function whatIsNotOurs(root) {
  if (!mayWrite(root)) {
    return `You may not write to ${root}. Clone it as yourself, or run this as the user it belongs to.`;
  }
  const others = made
    .map((name) => path.join(root, name))
    .filter((file) => existsSync(file) && !isOurs(file));
  if (others.length === 0) return undefined;
  return `Another user, perhaps root, has left files here. Take them over: sudo chown -R "$(id -u):$(id -g)" ${others.map(quoted).join(' ')}`;
}

/** As a shell takes it for one word. */
const quoted = (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

function mayWrite(folder) {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether no file below is somebody else's and shut to us; root may change all of them. */
function isOurs(folder) {
  const uid = process.getuid?.();
  if (uid === undefined || uid === 0) return true;
  // All of node_modules comes at once, and is large.
  const depth = path.basename(folder) === 'node_modules' ? ['-maxdepth', '1'] : [];
  const shut = ['!', '-type', 'l', '!', '-user', String(uid), '!', '-writable'];
  const { stdout } = spawnSync('find', [folder, ...depth, '-xdev', ...shut, '-print', '-quit'], {
    encoding: 'utf8',
  });
  return stdout === '' || stdout === null;
}
