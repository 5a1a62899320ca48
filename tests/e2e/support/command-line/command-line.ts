import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Lab } from '../../../lab/lab.ts';
import { eventually, processStartTime, type ProcessResult } from '../../../lab/runs/process.ts';
import { appEnvironment } from '../host/desktop-app.ts';
import { parseDocumented } from './documented-json.ts';
import { residentCommands } from './resident-commands.ts';
import { builtMain } from '../host/paths.ts';
import type { TestService } from '../service/service.ts';

/** The built command line, run by a user of the laboratory's machine. */
export interface CommandLine {
  /** Where its core keeps its socket and its lock. */
  readonly folder: string;
  /**
   * Runs a command to its end: in a process of its own if it is given input, is run by something else, or needs one.
   * Rejects if the JSON that it printed is not as it is documented.
   */
  readonly run: (argv: readonly string[], options?: RunOptions) => Promise<ProcessResult>;
  /** Runs a command that has to succeed; what it printed. */
  readonly succeed: (argv: readonly string[]) => Promise<string>;
  /** Runs it with `--json`; what it printed, which is JSON whether or not it succeeded. */
  readonly json: (argv: readonly string[]) => Promise<unknown>;
  /** Starts a command; resolves when what it wrote, both streams together, matches. */
  start(argv: readonly string[], ready: RegExp): Promise<ChildProcess>;
  readonly env: Record<string, string>;
  /** The process that has the core; undefined if there is none. */
  daemon(): number | undefined;
  /** Ends the daemon, if there is one. */
  end(): Promise<void>;
}

interface RunOptions {
  input?: string;
  env?: Record<string, string>;
  /** What runs it, such as a shell that prepares something. */
  under?: readonly string[];
}

/** What a command that fails prints for programs. */
export const commandError = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Whether a command ends its process by itself, or leaves its streams to another program. */
const needsProcess = ([command, next]: readonly string[]) =>
  command === 'daemon' || (command === 'apps' && next === 'run');

const builtCommandLine = path.join(path.dirname(builtMain), 'cli.js');

export function openCommandLine(options: {
  lab: Lab;
  /** The app's data folder. */
  userData: string;
  env: Record<string, string>;
}): CommandLine {
  const { lab, userData } = options;
  const env = { ...appEnvironment(options), WAYMAKER_USER_DATA: userData };
  const folder = path.join(userData, 'waymaker');
  const argv = [process.execPath, builtCommandLine];

  const resident = residentCommands(lab, builtCommandLine);

  const run: CommandLine['run'] = async (words, more = {}) => {
    const { input, under = [] } = more;
    const result =
      input === undefined && under.length === 0 && !needsProcess(words)
        ? await resident({ words, env: { ...process.env, ...env, ...more.env } })
        : await lab.user.exec([...under, ...argv, ...words], {
            env: { ...env, ...more.env },
            ...(input !== undefined && { input }),
          });
    if (words.includes('--json') && result.stdout !== '') parseDocumented(words, result);
    return result;
  };

  function daemon(): number | undefined {
    try {
      const lock = readdirSync(folder).find((name) => name.endsWith('.lock'));
      const pid = lock === undefined ? 0 : Number(readFileSync(path.join(folder, lock), 'utf8'));
      return pid > 1 && processStartTime(pid) !== undefined ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    folder,
    env,
    run,
    async succeed(words) {
      const { code, stdout, stderr } = await run(words);
      if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    },
    async json(words) {
      const { stdout, stderr } = await run([...words, '--json']);
      if (stdout === '') throw new Error(`no JSON: ${stderr}`);
      return JSON.parse(stdout) as unknown;
    },
    async start(words, ready) {
      const child = lab.user.spawn([...argv, ...words], {
        env: { ...process.env, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      let output = '';
      const matches = new Promise<void>((resolve, reject) => {
        const take = (chunk: Buffer) => {
          output += chunk.toString();
          if (ready.test(output)) resolve();
        };
        child.stdout?.on('data', take);
        child.stderr?.on('data', take);
        child.once('close', () => reject(new Error(`ended before ${String(ready)}: ${output}`)));
      });
      await matches;
      return child;
    },
    daemon,
    async end() {
      const pid = daemon();
      if (pid === undefined) return;
      process.kill(pid, 'SIGTERM');
      await eventually('the daemon has ended', () => (daemon() === undefined ? true : undefined));
    },
  };
}

/** Signs in as a user does: types the address and the mailed code. */
export async function signInByCommand(
  commandLine: CommandLine,
  { mailbox }: Pick<TestService, 'mailbox'>,
  email: string,
): Promise<void> {
  const child = await commandLine.start(['sign-in', email], /Code sent to/);
  child.stdin?.end(`${await mailbox.code(email)}\n`);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`sign-in ended with ${code}`);
}
