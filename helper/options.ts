import { parseArgs } from 'node:util';
import { z } from 'zod';

/** What root's own command line (the unit file) says; nothing of this ever comes from a caller. */
export interface HelperOptions {
  /** Path of the Unix socket the helper listens on. */
  socket: string;
  /** Directory of the journal; made if absent, readable by root only. */
  stateDirectory: string;
  /** Users that may call, beside root. */
  allowedUids: number[];
  /** Group whose members may call. */
  allowedGroup: string;
  /** The unprivileged user that the engine runs as. */
  engineUser: string;
  /** The unprivileged user that the proxy runs as; another one, since they route differently. */
  proxyUser: string;
  /** Name of the helper's own control group. */
  controlGroup: string;
  /** Whether it only undoes what an earlier one left, and ends. */
  isRestore: boolean;
}

const accountName = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'not an account name');
const absolutePath = z.string().regex(/^\//, 'not an absolute path');
const uid = z.string().regex(/^\d{1,10}$/, 'not a uid');

const schema = z.object({
  socket: absolutePath.default('/run/waymaker/helper.sock'),
  'state-dir': absolutePath.default('/var/lib/waymaker'),
  'allow-uid': z.array(uid).default([]),
  'allow-group': accountName.default('waymaker'),
  'engine-user': accountName.default('waymaker-engine'),
  'control-group': accountName.default('waymaker'),
  'proxy-user': accountName.default('waymaker-proxy'),
  restore: z.boolean().default(false),
});

/** Throws on an unknown option or a value of the wrong form. */
export function parseOptions(argv: string[]): HelperOptions {
  const { values } = parseArgs({
    args: argv,
    options: {
      socket: { type: 'string' },
      'state-dir': { type: 'string' },
      'allow-uid': { type: 'string', multiple: true },
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
    allowedUids: options['allow-uid'].map(Number),
    allowedGroup: options['allow-group'],
    engineUser: options['engine-user'],
    isRestore: options.restore,
    proxyUser: options['proxy-user'],
    controlGroup: options['control-group'],
  };
}
