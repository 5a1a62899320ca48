import type { ProgramAccount } from './become-user.ts';
import { programEnvironment } from './command.ts';
import { dataPathVariable } from './data-path-variable.ts';

/** In MB. Packets are not in this heap; what is there lives briefly. */
const heap = ['--max-old-space-size=96', '--max-semi-space-size=4'];

/**
 * For Node, which is to run our own engine's program: it becomes that account for good before it reads anything else.
 */
export const engineArguments = (script: string, { uid, gid }: ProgramAccount): string[] => [
  ...heap,
  script,
  `--uid=${uid}`,
  `--gid=${gid}`,
];

export function engineEnvironment(): Record<string, string> {
  const limits = process.env[dataPathVariable];
  return { ...programEnvironment, ...(limits !== undefined && { [dataPathVariable]: limits }) };
}
