import { existsSync } from 'node:fs';
import path from 'node:path';
import { startAsRoot } from './root-command.ts';

/** Programs of the Debian packages in ../setup.js that the laboratory runs. */
const programs = ['ip', 'nft', 'ocserv', 'openconnect', 'nsenter', 'setpriv'];

/** Why the gateway laboratory cannot run here, in one line, or undefined if it can. */
export function whatTheLaboratoryLacks(): string | undefined {
  if (process.platform !== 'linux') return 'the gateway laboratory needs Linux.';
  if (process.getuid?.() !== 0)
    return `the gateway laboratory needs root; run \`${startAsRoot(process.env)}\`.`;
  if (!existsSync('/dev/net/tun')) return 'the gateway laboratory needs /dev/net/tun, which is not here.';
  const missing = programs.filter((program) => !onPath(program));
  return missing.length > 0 ? `the gateway laboratory needs ${missing.join(', ')}.` : undefined;
}

function onPath(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(path.join(folder, program)));
}
