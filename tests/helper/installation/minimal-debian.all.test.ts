import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { words } from '../../lab/runs/process.ts';
import { minimalDebian } from '../support/installed/minimal-debian.ts';
import { createPackageMachine, repository } from '../support/installed/package-machine.ts';

/** The commands of the README's section on installing, for a repository at this address. */
async function readmeCommands(address: string): Promise<string[]> {
  const readme = await readFile(path.resolve(import.meta.dirname, '../../../README.md'), 'utf8');
  const [, block = ''] = /## Installing\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  return block.trim().replaceAll('https://packages.example.com', address).split('\n');
}

test.each(['bookworm', 'trixie'] as const)(
  'on a minimal Debian %s, the README’s commands lead from nothing to Connected',
  { timeout: waitLimit(900_000) },
  async (suite) => {
    await using life = await createPackageMachine({ base: await minimalDebian(suite) });
    const { machine, net } = life.installed;
    await machine.run(['sh', '-c', 'echo "person ALL=(ALL) NOPASSWD: ALL" > /etc/sudoers.d/person']);
    expect(await machine.run(words('cat /etc/os-release'))).toContain(`VERSION_CODENAME=${suite}`);
    expect((await machine.exec(words('which openconnect nft waymaker'))).stdout).toBe('');
    const commands = await readmeCommands(`file://${repository}`);
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const script = `export USER=person DEBIAN_FRONTEND=noninteractive; ${command.replace('apt-get install', 'apt-get install --yes')}`;
      const { code, stdout, stderr } = await life.run(['sh', '-c', script], { timeout: 180_000 });
      expect(code, `${command}\n${stdout}\n${stderr}`).toBe(0);
    }
    await life.installed.helper();
    await life.startCore();
    const connected = await life.waymaker(words('connect'));
    const log = words('journalctl --no-pager --output=cat --unit=waymaker-helper.service');
    expect(connected.code, `${connected.stderr}\n${await machine.run(log)}`).toBe(0);
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    const doctor = await life.waymaker(words('doctor'));
    expect(doctor.code, doctor.stdout).toBe(0);
    const removal = await life.run(words('sudo apt-get purge --yes waymaker-core'), { timeout: 60_000 });
    expect(removal.code, removal.stderr).toBe(0);
    expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  },
);
