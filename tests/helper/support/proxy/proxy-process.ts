import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import {
  proxyReady,
  type ProxyConfiguration,
  type ProxyReady,
} from '../../../../helper/proxy/proxy-messages.ts';
import { proxyNodeArguments } from '../../../../helper/proxy-host/proxy-program.ts';
import type { Machine } from '../../../lab/machine/machine.ts';
import { programFile } from '../../../lab/runs/programs.ts';

/** The account that a laboratory's machines have for such processes. */
export const proxyAccount = { uid: 64_900, gid: 64_900 } as const;

const launcher = path.resolve(import.meta.dirname, 'exec-with-listener.ts');

/** What the helper runs the proxy under: enough to become another user and to read its program, no more. */
const privileges = [
  '--no-new-privs',
  '--bounding-set=-all,+setuid,+setgid,+dac_read_search',
  '--inh-caps=-all',
];

export interface ProxyProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Gives it a configuration, waits for its answer, and says on which port of 127.0.0.1 it listens. */
  configure(changes?: Partial<ProxyConfiguration>): Promise<ProxyReady & { port: number }>;
  write(text: string): void;
  /** Its exit status, when it has ended. */
  readonly ended: Promise<number | null>;
  /** What it has written to its standard error. */
  warnings(): string;
}

export interface ProxyProcessOptions {
  args?: readonly string[];
  /** Arguments of setpriv(1) beside the usual ones. */
  setpriv?: readonly string[];
  script?: string;
}

export const emptyConfiguration: ProxyConfiguration = {
  resolvers: [],
  families: { ipv4: true, ipv6: true },
  routeDomains: [],
  blockedDomains: [],
  directDomains: [],
  outlive: false,
};

/** Starts the proxy on a machine, as the helper does. */
export function startProxy(
  machine: Machine,
  {
    args = ['--uid', String(proxyAccount.uid), '--gid', String(proxyAccount.gid)],
    setpriv = [],
    script = programFile('helper/posix/start-proxy.ts'),
  }: ProxyProcessOptions = {},
): ProxyProcess {
  const child = machine.spawn(
    [process.execPath, '--disable-warning=ExperimentalWarning', launcher, `${proxyAccount.uid}`]
      .concat('/usr/bin/setpriv', privileges, setpriv, '--')
      .concat(process.execPath, proxyNodeArguments, script, args),
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const { stdin, stdout, stderr, pid } = child;
  if (!stdin || !stdout || !stderr || pid === undefined) throw new Error('the proxy cannot be started');
  // It may end while it is written to; `ended` tells that.
  stdin.on('error', () => undefined);
  const errors: string[] = [];
  stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error(`the proxy ended: ${errors.join('')}`);
    return value;
  };
  const port = nextLine().then(Number);
  port.catch(() => undefined);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    pid,
    ended,
    warnings: () => errors.join(''),
    write: (text) => void stdin.write(text),
    async configure(changes) {
      const { resolvers, families, outlive, ...lists } = { ...emptyConfiguration, ...changes };
      stdin.write(`${JSON.stringify({ resolvers, families, outlive, lists })}\n`);
      return { port: await port, ...proxyReady.parse(JSON.parse(await nextLine())) };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
