import type { Machine } from './machine.ts';
import type { ProcessResult } from '../runs/process.ts';

/** Another user who is logged in on a machine, with neither rights nor groups. */
export const secondUser = { uid: 64_910, gid: 64_910 } as const;

/** Runs a command as the second user, to its end. */
export const execAsSecondUser = (machine: Machine, argv: readonly string[]): Promise<ProcessResult> =>
  machine.exec([
    'setpriv',
    `--reuid=${secondUser.uid}`,
    `--regid=${secondUser.gid}`,
    '--clear-groups',
    '--',
    ...argv,
  ]);
