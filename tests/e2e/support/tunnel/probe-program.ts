import type { ChildProcess } from 'node:child_process';
import { chmod, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses, ports } from '../../../lab/network/addresses.ts';
import type { EchoReply } from '../../../lab/network/echo.ts';
import type { Lab } from '../../../lab/lab.ts';
import { eventually, run } from '../../../lab/runs/process.ts';
import { curlLimits } from '../../../lab/probes/probe.ts';

/** A program that is installed for a user, and says when asked what the world sees of it. */
export interface ProbeProgram {
  readonly name: string;
  /** What makes a desktop app find it, and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts it as the user's desktop does, on the laboratory's user machine. */
  start(): ChildProcess;
  /** The address that the echo saw of the one that runs; undefined if it got no answer. */
  seen(): Promise<string | undefined>;
  /** The process that answered last. */
  pid(): Promise<number>;
}

/** A script, as many programs are begun: it becomes nothing else, and curl is its child. */
export async function installProbeProgram(lab: Lab, directory: string): Promise<ProbeProgram> {
  const name = 'Probe';
  const at = (file: string) => path.join(directory, file);
  const program = at('probe-program');
  await mkdir(at('data/applications'), { recursive: true });
  const curl = ['curl', '--silent', '--noproxy', "'*'", ...curlLimits()].join(' ');
  const script = [
    '#!/bin/bash',
    // Both ways, so that it does not end with whoever asks.
    `exec 3<>'${at('ask')}'`,
    'while read -r _ <&3; do',
    `  ${curl} http://${addresses.echo.ipv4}:${ports.http}/app >'${at('answer.new')}' || echo '{}' >'${at('answer.new')}'`,
    `  echo $$ >'${at('pid')}'; mv '${at('answer.new')}' '${at('answer')}'`,
    'done',
  ];
  await writeFile(program, `${script.join('\n')}\n`);
  await chmod(program, 0o755);
  await run(['mkfifo', at('ask')]);
  const entry = ['[Desktop Entry]', 'Type=Application', `Name=${name}`, `Exec=${program} %u`];
  await writeFile(at('data/applications/probe.desktop'), entry.join('\n'));
  return {
    name,
    env: { XDG_DATA_HOME: at('data'), XDG_DATA_DIRS: at('nothing') },
    start: () => lab.user.spawn([program], { stdio: 'ignore' }),
    async seen() {
      await rm(at('answer'), { force: true });
      // Both ways, so that what is asked waits for whoever comes to read it, and nobody here does.
      await using ask = await open(at('ask'), 'r+');
      await ask.write('go\n');
      const text = await eventually('the program answers', () =>
        readFile(at('answer'), 'utf8').catch(() => undefined),
      );
      return (JSON.parse(text) as Partial<EchoReply>).address;
    },
    pid: async () => Number(await readFile(at('pid'), 'utf8')),
  };
}
