import { parseArgs } from 'node:util';
import { z } from 'zod';

/** Root's own command line (the unit file); nothing of it ever comes from a caller. */
export interface HelperOptions {
  /** The path of the Unix socket to listen on. */
  socket: string;
  /** The directory of the journal; created if absent, readable only by root. */
  stateDirectory: string;
  /** Users that may call, in addition to administrators, in the system's notation. */
  allowedUsers: string[];
  /** The group whose members may call. */
  allowedGroup: string;
  /** The unprivileged user that the engine runs as. */
  engineUser: string;
  /** The unprivileged user that the proxy runs as; a different one, because their packets are routed differently. */
  proxyUser: string;
  /** The name of the helper's own control group. */
  controlGroup: string;
  /** Whether to only undo what an earlier helper left, and end. */
  isRestore: boolean;
}

const accountName = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'not an account name');
const absolutePath = z.string().regex(/^\//, 'not an absolute path');
const user = z.string().regex(/^[\w-]{1,64}$/, 'not a user');

const schema = z.object({
  socket: absolutePath.default('/run/waymaker/helper.sock'),
  'state-dir': absolutePath.default('/var/lib/waymaker'),
  'allow-user': z.array(user).default([]),
  'allow-group': accountName.default('waymaker'),
  'engine-user': accountName.default('waymaker-engine'),
  'control-group': accountName.default('waymaker'),
  'proxy-user': accountName.default('waymaker-proxy'),
  restore: z.boolean().default(false),
});

/** Throws on an unknown option or an invalid value. */
export function parseOptions(argv: string[]): HelperOptions {
  const { values } = parseArgs({
    args: argv,
    options: {
      socket: { type: 'string' },
      'state-dir': { type: 'string' },
      'allow-user': { type: 'string', multiple: true },
      'allow-group': { type: 'string' },
      'engine-user': { type: 'string' },
      'control-group': { type: 'string' },
      'proxy-user': { type: 'string' },
      restore: { type: 'boolean' },
    },
  });
  const options = schema.parse(values);
  return {
    socket: options.socket,
    stateDirectory: options['state-dir'],
    allowedUsers: options['allow-user'],
    allowedGroup: options['allow-group'],
    engineUser: options['engine-user'],
    isRestore: options.restore,
    proxyUser: options['proxy-user'],
    controlGroup: options['control-group'],
  };
}
