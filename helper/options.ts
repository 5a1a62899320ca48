import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod/mini';
import { engineSettings, type EngineSetting } from './engine/engine-choice.ts';
import type { FurtherOptions, SystemOptions } from './system/ports/platform.ts';

/** What whoever administers this machine starts the helper with; nothing of it ever comes from a caller. */
export interface HelperOptions {
  /** The path of the socket to listen on. */
  socket: string;
  /** The directory of the journal; created if absent, for the helper alone. */
  stateDirectory: string;
  /** Users that may call, in addition to administrators, in the system's notation. */
  allowedUsers: string[];
  /** The group whose members may call. */
  allowedGroup: string;
  /** What carries the tunnel's packets. */
  engine: EngineSetting;
  /** Whether to only undo what an earlier helper left, and end. */
  isRestore: boolean;
  /** Whether to only have the helper that runs end its connection, and end. */
  isDisconnect: boolean;
  /** What only this system has. */
  ofSystem: FurtherOptions;
}

const absolutePath = z.string().check(z.refine((text) => path.isAbsolute(text), 'not an absolute path'));
const user = z.string().check(z.regex(/^[\w-]{1,64}$/, 'not a user'));

/** Throws on an unknown option or an invalid value. */
export function parseOptions(argv: string[], { usual, groupName, further }: SystemOptions): HelperOptions {
  const { values } = parseArgs({
    args: argv,
    options: {
      socket: { type: 'string', default: usual.socket },
      'state-dir': { type: 'string', default: usual.stateDirectory },
      'allow-user': { type: 'string', multiple: true, default: [] },
      'allow-group': { type: 'string', default: usual.allowedGroup },
      engine: { type: 'string', default: 'automatic' },
      restore: { type: 'boolean', default: false },
      disconnect: { type: 'boolean', default: false },
      ...Object.fromEntries(
        Object.entries(further.defaults).map(([name, value]) => [
          name,
          { type: 'string' as const, default: value },
        ]),
      ),
    },
  });
  const options = z
    .object({
      socket: absolutePath,
      'state-dir': absolutePath,
      'allow-user': z.array(user),
      'allow-group': z.string().check(z.regex(groupName, 'not the name of a group')),
      engine: z.enum(engineSettings),
      restore: z.boolean(),
      disconnect: z.boolean(),
    })
    .parse(values);
  return {
    socket: options.socket,
    stateDirectory: options['state-dir'],
    allowedUsers: options['allow-user'],
    allowedGroup: options['allow-group'],
    engine: options.engine,
    isRestore: options.restore,
    isDisconnect: options.disconnect,
    ofSystem: z.parse(further.schema, values),
  };
}
