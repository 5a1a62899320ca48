import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import { attachedPrograms, hookNames } from '../../../../helper/linux/groups/bpf.ts';
import { addresses, type AddressPair } from '../../../lab/network/addresses.ts';
import { controlGroupOf, unifiedCgroups } from '../../../lab/machine/control-groups.ts';
import { eventually } from '../../../lab/runs/process.ts';
import { socketOf } from '../callers/attach-as.ts';
import { planDeaths, type Moments } from './death-plan.ts';
import { effective, journalled, pushedOptions, type Asked, type Scene } from './death-scenes.ts';
import { createHelperLab } from '../helper-lab.ts';
import { isCaptured } from '../is-captured.ts';
import { places, startInPlaces, type Ask, type PacketsOutside, type Place } from './places.ts';
import { attach } from '../callers/test-client.ts';

/** A user's connections in a laboratory whose helper is killed while it writes its journal. */
export interface Deaths extends AsyncDisposable {
  /**
   * Kills the helper at a moment of a scene, counted from 1; `completed`: there are not as many. Rejects unless the
   * next helper puts everything back as it was, or with the kill switch on goes on with the block, past which no packet
   * has come meanwhile. Everything is as it was made when it resolves.
   */
  dieAt(scene: Scene, moment: number): Promise<'died' | 'completed'>;
  /** The moments of the latest scene, and what the helper that was started last has logged. */
  log(): Promise<string>;
}

/** Debian policy §9.2.2: no account has this number. */
const uid = 64_953;
/**
 * Whether what was to be made has begun to block: the filter does, and the journal changes again only after that. It is
 * promised from the answer on, which comes later.
 */
const isInForce = (moments: readonly string[]) =>
  moments
    .slice(moments.indexOf('after journal is written') + 1)
    .some((moment) => moment.includes('journal') || moment === 'after the filter is set');

/** What stays on the programs that are in a group. */
const markHooks = ['created', 'connect4', 'connect6'];

export async function openDeaths(which: Moments): Promise<Deaths> {
  const net = await createHelperLab({ gateway: { options: pushedOptions } });
  const plan = await planDeaths(net.lab.directory, which);
  const start = () => net.start({ args: ['--allow-user', String(uid)], under: plan.under });
  await start();
  const socket = await socketOf(net, uid);
  let client = await attach(socket);
  const traffic = await startInPlaces(net, { uid, client, intervalMs: 20 });
  const group = path.join(await unifiedCgroups(), controlGroupOf(net.lab.user), String(uid), 'inside');
  let session: GatewaySession | undefined;
  /** Whether the latest `connect` was answered, by which the helper says that traffic is blocked. */
  let isAnswered = false;
  /** The moments of the latest scene. */
  let passed: readonly string[] = [];

  async function restart(): Promise<void> {
    await plan.set(0);
    await net.end('SIGKILL');
    await start();
    client = await attach(socket);
  }

  /** An engine that was killed leaves its session, which a disconnect ends. */
  async function connect(asked: Asked): Promise<void> {
    const seen = client.states.length;
    const last = client.states.at(-1);
    // While traffic is blocked nobody signs in before the helper carries it.
    if (last?.state !== 'disconnected' || last.blocked !== true) session ??= await net.signIn();
    isAnswered = false;
    await client.call('connect', net.request({ ...asked, ...(session && { session }) }));
    isAnswered = true;
    const own = client;
    await eventually('it is connected', async () => {
      if (own.socket.destroyed) throw new Error('the helper is gone');
      const state = own.states.slice(seen).at(-1);
      if (state?.state !== 'connecting' || state.phase !== 'authenticating')
        return state?.state === 'connected' || undefined;
      session = await net.signIn();
      await own.call('provideSession', { session }).catch(() => undefined);
      return undefined;
    });
  }

  async function giveUp(): Promise<void> {
    session = undefined;
    await client.call('disconnect', { reason: 'session-ended' });
  }

  async function disconnect(): Promise<void> {
    if ((await net.engines()).length > 0) session = undefined;
    await client.call('disconnect', {});
  }

  /** Resolves when it is done, unless the helper dies before. */
  async function perform(scene: Scene): Promise<void> {
    switch (scene.deed) {
      case 'connect':
      case 'connect again':
        return await connect(scene.to);
      case 'change': {
        const { routing, killSwitch } = scene.to;
        await client.call('setRouting', { routing, killSwitch });
        return;
      }
      case 'disconnect':
        return await disconnect();
      case 'give up':
        return await giveUp();
      case 'recover':
        await start();
        client = await attach(socket);
        return;
      default:
        return scene satisfies never;
    }
  }

  /** Whether it was done, or the helper has died meanwhile. */
  async function performUntil(scene: Scene, moment: number): Promise<'died' | 'completed'> {
    if (scene.deed === 'recover') await net.end('SIGKILL');
    await plan.set(moment);
    const done = perform(scene).then((): 'died' | 'completed' => 'completed');
    const died = scene.deed === 'recover' ? [] : [once(client.socket, 'close').then(() => 'died' as const)];
    return await Promise.race([done, ...died]).catch(
      async (error: unknown): Promise<'died' | 'completed'> => {
        if ((await plan.moments()).length === moment) return 'died';
        throw error;
      },
    );
  }

  async function expectAsFound(): Promise<void> {
    assert.equal(await net.lab.user.snapshot(), net.initialSnapshot);
    assert.deepEqual(await readdir(net.stateDirectory), []);
    const left = existsSync(group)
      ? hookNames.filter((hook) => attachedPrograms(group, hook).length > 0)
      : [];
    assert.deepEqual(
      left.filter((hook) => !markHooks.includes(hook)),
      [],
    );
    await eventually('neither engine nor proxy runs', async () => {
      const running = [...(await net.engines()), ...(await net.proxies())];
      return running.length === 0 || undefined;
    });
  }

  /** What belongs in the tunnel is blocked, and the rest goes out directly. */
  async function expectBlocked(asked: Asked): Promise<void> {
    assert.equal(client.states.at(-1)?.state, 'connecting');
    await expectSeen(asked, undefined);
  }

  /** `inside`: what hosts see of whatever belongs in the tunnel; undefined: nothing. They see the rest itself. */
  async function expectSeen({ routing }: Asked, inside: AddressPair | undefined): Promise<void> {
    const expected = places.flatMap((place) =>
      (['echo', 'direct'] as const).flatMap((host) =>
        (['ipv4', 'ipv6'] as const).map((family) => {
          const isIn = isCaptured(routing, host, place === 'group');
          return {
            ask: { place, host: addresses[host][family], isAnswered: !isIn || inside !== undefined },
            sees: isIn ? inside?.[family] : addresses.user[family],
          };
        }),
      ),
    );
    const seen = await traffic.seen(expected.map(({ ask }): Ask => ask));
    assert.deepEqual(
      expected.map(({ ask }, index) => ({ ask, sees: seen[index] })),
      expected,
    );
  }

  function expectInside(packets: PacketsOutside, promises: readonly (Asked | undefined)[]): void {
    const isInside = (place: Place, host: 'echo' | 'resolver') =>
      promises.every(
        (asked) => asked?.killSwitch === true && isCaptured(asked.routing, host, place === 'group'),
      );
    const left = `left outside the tunnel: ${packets.described.join('; ')}`;
    for (const place of places) {
      if (isInside(place, 'echo')) assert.equal(packets[place], 0, left);
      if (isInside(place, 'resolver')) assert.equal(packets.lookUps[place], 0, left);
    }
    if (places.every((place) => isInside(place, 'echo'))) assert.equal(packets.any, 0, left);
  }

  return {
    log: async () => [...passed, net.log()].join('\n'),
    async dieAt(scene, moment) {
      if ('from' in scene) await connect(scene.from);
      const promised = [
        ...('from' in scene ? [effective(scene.from)] : []),
        ...('to' in scene ? [effective(scene.to)] : []),
      ];
      if (scene.deed === 'connect again') await giveUp();
      const { result: outcome, ...during } = await traffic.packetsWhile(async () => {
        const how = await performUntil(scene, moment);
        await traffic.send();
        return how;
      });
      const moments = await plan.moments();
      passed = moments;
      assert.equal(moments.length === moment, outcome === 'died', moments.join());
      const asked = journalled(scene, moments);
      if (outcome === 'completed') {
        await plan.set(0);
        // The tunnel was up all the time, whatever becomes of traffic without it.
        if (scene.deed === 'change') {
          expectInside(
            during,
            promised.map((one) => ({ ...one, killSwitch: true })),
          );
          await expectSeen(effective(scene.to), addresses.gateway);
        } else if (scene.deed !== 'connect' && scene.deed !== 'disconnect') expectInside(during, promised);
      } else {
        if (scene.deed !== 'connect' && scene.deed !== 'disconnect') expectInside(during, promised);
        const between = await traffic.packetsWhile(restart);
        // What was being made may not have been in force yet, and what the user ends need not be any more.
        if (scene.deed === 'connect') {
          if (isAnswered || isInForce(moments)) expectInside(between, [asked]);
        } else if (scene.deed !== 'disconnect') expectInside(between, promised);
        if (asked?.killSwitch) {
          const after = await traffic.packetsWhile(() => expectBlocked(asked));
          expectInside(after, [asked]);
        } else {
          // It says why there is no tunnel where the journal said that there was to be one.
          const reason = asked && ({ reason: 'helper-restarted' } as const);
          assert.deepEqual(client.states, [{ state: 'disconnected', ...reason }]);
          await expectAsFound();
        }
      }
      await disconnect();
      await expectAsFound();
      // The positive control.
      const open = await traffic.packetsWhile(() => traffic.send());
      for (const place of places) assert.ok(open[place] > 0, `no packet was seen from ${place}`);
      return outcome;
    },
    async [Symbol.asyncDispose]() {
      await traffic[Symbol.asyncDispose]();
      await net[Symbol.asyncDispose]();
    },
  };
}
