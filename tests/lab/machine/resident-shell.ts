import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ExecOptions, ProcessResult } from '../runs/process.ts';
import { waitLimit } from '../runs/wait-limit.ts';

/** A shell that stays inside a machine and runs commands there, each as `exec` does. */
export interface ResidentShell {
  exec(argv: readonly string[], options?: ExecOptions): Promise<ProcessResult>;
}

/**
 * To start a program from a test's own process costs three times what most programs cost: a large process is forked,
 * and each enters the machine anew. `start` starts the shell inside; `directory` is for what the commands read and write,
 * in files, so that no pipe has to be carried over.
 */
export function createResidentShell(start: () => ChildProcess, directory: string): ResidentShell {
  mkdirSync(directory, { recursive: true });
  const running = new Map<number, (code: number | null) => void>();
  let serial = 0;
  let shell: ChildProcess | undefined;

  function started(): ChildProcess {
    const child = start();
    if (!child.stdout) throw new Error('the shell has no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [id = 0, code = 0] = line.split(' ').map(Number);
      running.get(id)?.(code);
    });
    child.once('exit', () => {
      shell = undefined;
      // Whatever was killed with it has no status that anybody knows.
      for (const end of running.values()) end(null);
    });
    child.stdin?.on('error', () => undefined);
    return child;
  }

  return {
    async exec(argv, { input = '', env = {}, cwd, timeout = 60_000 } = {}) {
      const id = (serial += 1);
      const file = (name: string) => path.join(directory, `${id}-${name}`);
      const [given, output, errors] = [file('input'), file('output'), file('errors')];
      if (input.length > 0) writeFileSync(given, input);
      const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}; `);
      const place = cwd === undefined ? '' : `cd ${quoted(cwd)} && `;
      const from = input.length > 0 ? quoted(given) : '/dev/null';
      const command = `${variables.join('')}${place}exec ${argv.map(quoted).join(' ')}`;
      const redirected = `<${from} >${quoted(output)} 2>${quoted(errors)}`;
      return await new Promise((resolve) => {
        const limit = setTimeout(() => killWriters(output), waitLimit(timeout));
        running.set(id, (code) => {
          running.delete(id);
          clearTimeout(limit);
          rmSync(given, { force: true });
          resolve({ code, stdout: taken(output), stderr: taken(errors) });
        });
        shell ??= started();
        // Asked for its jobs, it forgets those that are over.
        shell.stdin?.write(`jobs >/dev/null; { (${command}) ${redirected}; echo "${id} $?"; } &\n`);
      });
    },
  };
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** What a file has, which is removed. */
function taken(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  } finally {
    rmSync(file, { force: true });
  }
}

/** Kills whoever writes its output to a file. */
function killWriters(output: string): void {
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean))
    try {
      if (readlinkSync(`/proc/${pid}/fd/1`) === output) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
}
