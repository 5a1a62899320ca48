import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { attachedPrograms, detachProgram, hookNames } from '../../../helper/linux/groups/bpf.ts';
import { names } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import {
  addressIn,
  modeApp,
  programLab,
  curl,
  echoes,
  include,
  nowhere,
  past,
  tunnelled,
  url,
} from '../support/programs/program-lab.ts';
import { startAs } from '../support/programs/grouped-process.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

/** Mode app without its tunnel, without its helper, and with what holds it up taken away. */

const lab = programLab();

test.each(casesOf({ usual: ['include'], all: ['include', 'exclude'] } as const))(
  'with the kill switch on and the tunnel gone, what belongs in it is blocked (%s)',
  { timeout: waitLimit(90_000) },
  async (policy) => {
    const [captured, other] =
      policy === 'include' ? (['group', 'outside'] as const) : (['outside', 'group'] as const);
    await lab.connect(modeApp(policy), { killSwitch: true });
    const member = await lab.startInGroup();
    const blocked = await lab.packetsWhile(async () => {
      await lab.client.call('disconnect', { reason: 'session-ended' });
      expect(await lab.seenBy(captured, [...echoes, names.echo])).toEqual([...nowhere, undefined]);
    });
    expect(blocked).toEqual({ toEcho: 0, lookUps: 0 });
    const control = await lab.packetsWhile(async () => {
      expect(await lab.seenBy(other, [...echoes, names.echo])).toEqual([...past, expect.any(String)]);
    });
    expect(control.toEcho).toBeGreaterThan(0);
    expect(control.lookUps).toBeGreaterThan(0);

    // A helper that is killed, and the one after it, block the same.
    await lab.net.end('SIGKILL');
    expect(await lab.seenBy('outside', echoes)).toEqual(captured === 'outside' ? nowhere : past);
    await lab.restart();
    expect(await lab.seenBy(captured, [...echoes, names.echo])).toEqual([...nowhere, undefined]);
    expect(await lab.seenBy(other, echoes)).toEqual(past);
    await lab.client.call('disconnect', {});
    expect(await lab.seenBy('group', echoes)).toEqual(past);
    await member.finish();
  },
);

test(
  'what others take away is put back, also by the next helper, and the group stays',
  async () => {
    await lab.connect(include);
    const member = await lab.startInGroup();
    const { user: machine } = lab.net.lab;
    const group = await lab.group();
    const look = async () => ({
      rules: (await machine.run(words('ip rule'))).split('\n').length,
      filter: (await machine.run(words('nft list ruleset'))).split('\n').length,
      programs: hookNames.filter((hook) => attachedPrograms(group, hook).length === 1).length,
    });
    const whole = await look();
    const losses = [
      () => machine.run(words('nft flush ruleset')),
      () => machine.run(words('ip rule del priority 5174')),
      async () => detachProgram(group, 'created'),
      async () => hookNames.forEach((hook) => detachProgram(group, hook)),
    ];
    for (const [index, lose] of losses.entries()) {
      await lose();
      const isWhole = async () => isDeepStrictEqual(await look(), whole) || undefined;
      await eventually(`loss ${index} is put back`, isWhole).catch(() => undefined);
      expect({ ...(await look()), state: lab.client.states.at(-1)?.state }).toEqual({
        ...whole,
        state: 'connected',
      });
    }
    expect(await lab.seenBy('group', echoes)).toEqual(tunnelled);
    expect(await lab.seenBy('outside', echoes)).toEqual(past);

    expect(hookNames.flatMap((hook) => attachedPrograms(group, hook))).toHaveLength(hookNames.length);
    await lab.net.end('SIGKILL');
    await lab.restart();
    // The mark alone is left, by which no socket of the group's is ever without it; it means nothing to anybody.
    const left = hookNames.filter((hook) => attachedPrograms(group, hook).length > 0);
    expect(left).toEqual(['created', 'connect4', 'connect6']);
    expect(await lab.net.lab.user.snapshot()).toBe(lab.initialSnapshot);
    expect(await lab.seenBy('group', [...echoes, names.echo])).toEqual([...past, expect.any(String)]);
    await member.finish();
    await lab.connect(include);
    await lab.client.call('disconnect', {});
    expect(existsSync(group)).toBe(false);
  },
  waitLimit(90_000),
);

if (isExhaustive)
  test(
    'through a gateway without IPv6, none leaves outside while the filter is gone',
    { timeout: waitLimit(60_000) },
    async () => {
      const { lab: all } = lab.net;
      // The first time it starts the gateway.
      await lab.connect(include);
      await lab.client.call('disconnect', {});
      await all.gateway.restart({ ipv6: false });
      await lab.connect(modeApp('exclude'));
      expect(lab.client.states.at(-1)).not.toHaveProperty('addresses.ipv6');
      const member = await lab.startInGroup();
      const control = await lab.packetsWhile(() => lab.seenBy('group', echoes));
      expect(control.toEcho).toBeGreaterThan(0);
      // The helper, which would put it back.
      process.kill(lab.net.pid(), 'SIGSTOP');
      await all.user.run(words('nft flush ruleset'));
      const left = await lab.packetsWhile(() => lab.seenBy('outside', echoes));
      process.kill(lab.net.pid(), 'SIGCONT');
      expect(left).toEqual({ toEcho: 0, lookUps: 0 });
      await all.gateway.restart({ ipv6: true });
      await member.finish();
    },
  );

/** The laboratory's machines have them in more than one place. */
const cgroupMounts = 'findmnt --noheadings --list --output TARGET --types cgroup2';

test(
  'where control groups become read-only, the group stays in the tunnel, and is free after a disconnect',
  { timeout: waitLimit(60_000) },
  async () => {
    const { user: machine } = lab.net.lab;
    const remount = (access: 'ro' | 'rw') =>
      machine.run(['sh', '-c', `${cgroupMounts} | xargs -n 1 mount -o remount,bind,${access}`]);
    await lab.connect(include, { killSwitch: true });
    const ask = `${curl} -4 "$1" | tr -d '\n'; echo; ${curl} "$2" | tr -d '\n'; echo`;
    const member = await startAs(machine, lab.uid, `while read -r line; do ${ask}; done`, [
      url(names.echo),
      url(echoes[1] ?? ''),
    ]);
    await lab.client.call('moveProcess', { pid: member.pid, into: 'group' });
    member.say();
    const seen = async () => {
      member.say();
      return [addressIn(await member.next()), addressIn(await member.next())];
    };
    expect(await seen()).toEqual(tunnelled);
    await remount('ro');
    try {
      const others = await startAs(machine, lab.uid, 'true');
      await expect(lab.client.call('moveProcess', { pid: others.pid, into: 'group' })).rejects.toThrow();
      await others.finish();
      await machine.run(words('nft flush ruleset'));
      await eventually('the filter is back', async () => {
        return (await machine.run(words('nft list tables'))).includes('waymaker') || undefined;
      });
      expect(await lab.packetsWhile(async () => expect(await seen()).toEqual(tunnelled))).toEqual({
        toEcho: 0,
        lookUps: 0,
      });
      expect(lab.client.states.at(-1)).toMatchObject({ state: 'connected' });
      await lab.client.call('disconnect', {});
      expect(await seen()).toEqual(past);
    } finally {
      await remount('rw');
    }
    expect(await lab.net.lab.user.snapshot()).toBe(lab.initialSnapshot);
    await lab.connect(include);
    expect(await seen()).toEqual(tunnelled);
    await lab.client.call('disconnect', {});
    await member.finish();
  },
);
