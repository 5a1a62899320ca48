import { describe, expect, test } from 'vitest';
import { services } from '../../../lab/darwin/model/macos-model.ts';
import {
  addOldState,
  connectionOf,
  createScene,
  gateways,
  routingNames,
  routings,
  tunnelConfigurations,
  wrongWays,
  type Scene,
} from './support/scene.ts';

const [configuration] = tunnelConfigurations;
if (!configuration) throw new Error('there is no configuration');
const ownAddresses = ['10.66.0.5', 'fd66::5'];

async function connect(scene: Scene, name: (typeof routingNames)[number], killSwitch = true): Promise<void> {
  const routing = routings[name];
  const { adapter } = scene.helper;
  await adapter.apply(connectionOf(routing, { killSwitch }));
  scene.promises = [{ routing, gateway: gateways[0] }];
  scene.look('apply');
  scene.tunnelAddresses = ownAddresses;
  if (configuration) await adapter.configure(configuration);
  scene.look('configure');
}

describe.each(routingNames)('%s', (name) => {
  test('nothing that belongs in the tunnel leaves outside, and the rest is as before', async () => {
    const scene = createScene();
    const before = scene.model.snapshot();
    await connect(scene, name);
    expect(scene.leaks).toEqual([]);
    expect(wrongWays(scene)).toEqual([]);
    expect(await scene.helper.adapter.verify()).toBe(true);
    scene.promises = [];
    await scene.helper.adapter.release({ keepBlocking: false });
    expect(scene.model.snapshot()).toEqual(before);
    expect(scene.disk.entry).toBeUndefined();
  });

  test('the kill switch keeps traffic in when the tunnel ends, also through a crash', async () => {
    const scene = createScene();
    const before = scene.model.snapshot();
    await connect(scene, name);
    scene.restart();
    scene.look('the crash');
    const recovery = await scene.helper.adapter.recover();
    expect(recovery).toMatchObject({ kind: 'connection', blocked: true });
    scene.look('recovery');
    expect(scene.leaks).toEqual([]);
    scene.promises = [];
    await scene.helper.adapter.release({ keepBlocking: false });
    expect(scene.model.snapshot()).toEqual(before);
  });

  test('connections that the packet filter already knows end', async () => {
    const scene = createScene();
    addOldState(scene);
    await connect(scene, name);
    expect(scene.leaks).toEqual([]);
    const isStillThere = scene.model.machine.states.some(({ device }) => device === undefined);
    expect(isStillThere).toBe(name === 'only listed addresses' || name === 'proxy');
    scene.promises = [];
    await scene.helper.adapter.release({ keepBlocking: false });
    // Somebody else has switched it on.
    expect(scene.model.machine.isFilterOn).toBe(true);
  });
});

test('every network service asks the tunnel’s resolvers, and has its own again afterwards', async () => {
  const scene = createScene();
  const before = new Map(scene.model.machine.store);
  await connect(scene, 'global');
  for (const key of Object.values(services))
    expect(scene.model.machine.store.get(key)).toContain('<string>10.66.0.1</string>');
  scene.promises = [];
  await scene.helper.adapter.release({ keepBlocking: false });
  expect(scene.model.machine.store).toEqual(before);
});
