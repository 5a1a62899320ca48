// Tunnels need root, but a run as root must leave nothing in a user's clone that the user cannot change. Plain
// JavaScript, see run.js.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';

/** Folders that running a clone creates in it. */
const made = ['node_modules', 'out', '.waymaker'];

/**
 * The options of child_process for running programs that write to the clone as its owner, if this runs as root in
 * another user's clone; undefined otherwise, or if nothing is known about the owner.
 */
export function ownerInPlaceOfRoot(root) {
  const owner = foreignOwner(root);
  if (!owner) return undefined;
  const { stdout } = spawnSync('getent', ['passwd', String(owner.uid)], { encoding: 'utf8' });
  const home = stdout?.split(':')[5];
  if (!home) return undefined;
  // npm passes on the settings of the user who runs it, such as root's cache.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name));
  return { ...owner, env: { ...Object.fromEntries(own), HOME: home } };
}

function foreignOwner(root) {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(root);
  return uid === 0 ? undefined : { uid, gid };
}

/** Gives a user's clone what root has created in it. */
export function giveBack(root) {
  const owner = foreignOwner(root);
  const folders = made.map((name) => path.join(root, name)).filter((folder) => existsSync(folder));
  if (!owner || folders.length === 0) return;
  // Neither targets of links nor files with other names elsewhere, which could be the system's.
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
