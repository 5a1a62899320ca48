import { describe, expect, test } from 'vitest';
import { wifi } from '../../../lab/darwin/model/machine.ts';
import type { Probe } from '../../../lab/darwin/model/packet-way.ts';
import { users } from './support/modelled-helper.ts';
import { configure, connectionOf, createScene, routings, type Scene } from './support/scene.ts';

/** A gateway, or the proxy that leads to it, on the machine's own private network: what else its host offers. */

const host = '192.168.1.60';

async function connectTo(scene: Scene, name: keyof typeof routings, proxyPort?: number): Promise<void> {
  const proxy = proxyPort === undefined ? {} : { proxy: { protocol: 'http' as const, port: proxyPort } };
  await scene.helper.adapter.apply({ ...connectionOf(routings[name]), address: host, ...proxy });
  await configure(scene, 0);
}

function outcome({ model }: Scene, destinationPort: number, more: Partial<Probe> = {}) {
  const found = model.send({
    source: wifi.address,
    sourcePort: 50_000,
    destination: host,
    destinationPort,
    protocol: 'tcp',
    user: users.person,
    ...more,
  });
  return found === 'refused' ? found : found.by;
}

const outcomes = (scene: Scene) => ({
  engine: outcome(scene, 443, { user: users.engine }),
  page: outcome(scene, 80),
  datagram: outcome(scene, 9, { protocol: 'udp' }),
  lookUp: outcome(scene, 53, { protocol: 'udp' }),
});

describe.each(['global with the local network', 'all but listed addresses'] as const)('%s', (name) => {
  test('the gateway’s host is reached like any neighbour, and never asked for names, also while traffic is blocked', async () => {
    const scene = createScene();
    await connectTo(scene, name);
    const open = { engine: wifi.name, page: wifi.name, datagram: wifi.name, lookUp: 'refused' };
    expect(outcomes(scene)).toEqual(open);
    await scene.helper.adapter.release({ keepBlocking: true });
    expect(outcomes(scene)).toEqual(open);
  });

  test('the proxy is open to the engine alone, and its host’s other services are reached', async () => {
    const scene = createScene();
    await connectTo(scene, name, 3_128);
    expect(outcome(scene, 3_128, { user: users.engine })).toBe(wifi.name);
    expect(outcome(scene, 3_128)).toBe('refused');
    expect(outcome(scene, 80)).toBe(wifi.name);
  });
});

test('without access to the local network, only the engine reaches the gateway’s host', async () => {
  const scene = createScene();
  await connectTo(scene, 'global');
  const { engine, ...others } = outcomes(scene);
  expect(engine).toBe(wifi.name);
  expect(new Set(Object.values(others))).toEqual(new Set(['refused']));
});
