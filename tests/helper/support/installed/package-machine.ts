import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { publishRepositories } from '../../../../packaging/repository/publish-repositories.ts';
import { startService, type TestService } from '../../../e2e/support/service/service.ts';
import { eventually, words, type ExecOptions, type ProcessResult } from '../../../lab/runs/process.ts';
import { makeCoreDeb, versions } from './core-packages.ts';
import { layMachine } from './installed-helper.ts';
import { createInstalledMachine, type InstalledMachine } from './installed-machine.ts';

/** A machine with a person on it, a service that they have an account of, and a repository that apt knows. */
export interface PackageMachine extends AsyncDisposable {
  readonly installed: InstalledMachine;
  readonly service: TestService;
  /** What apt has to be told to look only into the repository. */
  apt(argv: readonly string[]): Promise<ProcessResult>;
  /** Runs the installed command line as the person. */
  waymaker(argv: readonly string[]): Promise<ProcessResult>;
  /** The same with words in a line, and what it prints. Rejects if it fails. */
  succeed(command: string): Promise<string>;
  /** Runs any command as the person. */
  run(argv: readonly string[], options?: ExecOptions): Promise<ProcessResult>;
  /** Starts the person's background service, without a window. */
  startDaemon(): Promise<void>;
  /** Starts it, and signs them in. */
  startCore(): Promise<void>;
}

/** The person's account of the machine, and of the service. */
const person = { name: 'person', email: 'person@example.com' };

/** Where the authority's certificate is that the gateway's is from. */
const authority = '/etc/gateway-authority.pem';

/** Where the repository is in the machine, which has its address from there. */
export const repository = '/srv/waymaker';

/**
 * Both versions are in the repository; neither is installed. `base`: the root of another system than this one.
 * `hasDisk`: it can be booted again.
 */
export async function createPackageMachine({
  base,
  hasDisk,
}: { base?: string; hasDisk?: boolean } = {}): Promise<PackageMachine> {
  const making = (async () => [await makeCoreDeb(versions.current), await makeCoreDeb(versions.next)])();
  making.catch(() => undefined);
  const names = base === undefined ? 'resolved' : 'nobody';
  const installed = await createInstalledMachine(names, undefined, layMachine, { base, hasDisk });
  const { machine, net } = installed;
  const service = await startService(path.join(net.lab.directory, 'service'), net.lab);
  await publish(await making);
  // In containers it often forbids what packages start.
  await machine.run(words('rm -f /usr/sbin/policy-rc.d'));
  await cp(net.lab.gateway.authorityFile, machine.file(authority));
  await machine.run(words(`useradd --create-home --shell /bin/sh ${person.name}`));

  async function publish(files: readonly string[]): Promise<void> {
    const packages = path.join(net.lab.directory, 'packages');
    await mkdir(packages);
    for (const file of files) await cp(file, path.join(packages, path.basename(file)));
    const published = path.join(net.lab.directory, 'repository');
    await publishRepositories({
      packages,
      folder: published,
      url: `file://${repository}`,
      keyFile: undefined,
      now: new Date(),
      say: () => undefined,
    });
    await cp(published, machine.file(repository), { recursive: true });
    await rm(packages, { recursive: true });
    await rm(published, { recursive: true });
  }

  const env = [
    `HOME=/home/${person.name}`,
    `WAYMAKER_API_URL=${service.apiUrl}`,
    `NODE_EXTRA_CA_CERTS=${authority}`,
    'LC_ALL=C.UTF-8',
  ];
  const asPerson = (argv: readonly string[], options?: ExecOptions) =>
    machine.exec(
      [
        'setpriv',
        `--reuid=${person.name}`,
        `--regid=${person.name}`,
        '--init-groups',
        'env',
        ...env,
        ...argv,
      ],
      options,
    );
  const waymaker = (argv: readonly string[]) => asPerson(['/usr/bin/waymaker', ...argv]);
  async function startDaemon(): Promise<void> {
    await machine.run(words(`usermod --append --groups waymaker ${person.name}`));
    const settings = env.map((one) => `--setenv=${one}`);
    const core = ['/usr/bin/waymaker', 'daemon', '--service'];
    await machine.run([
      'systemd-run',
      '--quiet',
      '--unit=core',
      `--uid=${person.name}`,
      ...settings,
      ...core,
    ]);
    await eventually('it has the core', async () => {
      const { stdout } = await asPerson(['/usr/bin/waymaker', 'status', '--json']);
      return stdout.includes('"daemon"') || undefined;
    });
  }
  return {
    installed,
    service,
    apt: (argv) =>
      machine.exec(
        ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '--assume-yes', ...aptOptions, ...argv],
        { timeout: 120_000 },
      ),
    run: asPerson,
    waymaker,
    async succeed(command) {
      const { code, stdout, stderr } = await waymaker(words(command));
      if (code !== 0) throw new Error(`waymaker ${command} ended with ${code}: ${stderr}`);
      return stdout;
    },
    startDaemon,
    async startCore() {
      await startDaemon();
      // The code is typed once it has come; until then the pipe is open and empty.
      await machine.run(words('rm -f /run/code'));
      await machine.run(words(`mkfifo --mode=666 /run/code`));
      const signIn = asPerson(['sh', '-c', `waymaker sign-in ${person.email} 0<> /run/code`]);
      const code = await service.mailbox.code(person.email);
      await machine.run(['sh', '-c', `echo ${code} > /run/code`]);
      const { code: status, stderr } = await signIn;
      if (status !== 0) throw new Error(`the person could not sign in: ${stderr}`);
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await installed[Symbol.asyncDispose]();
    },
  };
}

/** Only our own source, as the README lays it, and no list from the real machine. */
const aptOptions = Object.entries({
  'Dir::Etc::sourcelist': `${repository}/apt/waymaker.sources`,
  'Dir::Etc::sourceparts': '/dev/null',
  'Dir::State::lists': '/var/lib/waymaker-lists',
}).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
