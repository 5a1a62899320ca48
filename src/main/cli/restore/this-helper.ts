import { createRunProgram } from '../../run-program.ts';
import { posixHelper } from './posix/posix-helper.ts';
import type { RunningHelper } from './running-helper.ts';
import { windowsHelper } from './windows/windows-helper.ts';

const timeLimitMs = 10_000;

/** The helper that listens there on this system. */
export const helperOn = (system: {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  socket: string;
}): RunningHelper =>
  system.platform === 'win32'
    ? windowsHelper({ pipe: system.socket, env: system.env, run: createRunProgram({ timeLimitMs }) })
    : posixHelper(system.socket, system.platform);
