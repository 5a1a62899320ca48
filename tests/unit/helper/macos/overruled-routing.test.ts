import { expect, test } from 'vitest';
import type { Route } from '../../../../helper/macos/calls/route-message.ts';
import { plainInterface } from '../../../lab/darwin/model/machine.ts';
import { connect, createScene, release, type Scene } from './support/scene.ts';

/** Whether others' routes come before the tunnel's. */

/** The device of another VPN. */
const other = 20;

function addOther({ model }: Scene, prefixes: readonly string[], more: Partial<Route> = {}): void {
  model.machine.interfaces.set(other, plainInterface(other, 'utun20', ['10.77.0.2/32']));
  const way = { kind: 'interface', index: other } as const;
  model.machine.routes.push(
    ...prefixes.map((prefix) => ({
      prefix,
      way,
      scope: undefined,
      isOurs: false,
      interface: other,
      ...more,
    })),
  );
}

const isOverruled = ({ helper }: Scene) => helper.ports.router.isOverruled?.();

/** A default route in pieces, as sing-tun cuts it on macOS (`BuildAutoRouteRanges`), as far as ours are not there. */
const pieces = ['1.0.0.0/8', '2.0.0.0/7', '4.0.0.0/6', '8.0.0.0/5', '16.0.0.0/4', '32.0.0.0/3'];
const eighths = [0, 32, 64, 96, 128, 160, 192].map((first) => `${first}.0.0.0/3`);

test.each<[string, readonly string[]]>([
  ['pieces of one quarter', pieces],
  ['smaller than most of ours', eighths],
])(
  'another VPN’s routes come first where they are %s, and no more once they are gone',
  async (_, prefixes) => {
    const scene = createScene();
    await connect(scene, 'global');
    expect(await isOverruled(scene)).toBe(false);
    addOther(scene, prefixes);
    expect(await isOverruled(scene)).toBe(true);
    const { machine } = scene.model;
    machine.routes = machine.routes.filter((route) => route.interface !== other);
    expect(await isOverruled(scene)).toBe(false);
  },
);

test.each<[string, readonly string[], Partial<Route>]>([
  ['halves', ['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1'], {}],
  ['only for sockets that are bound to it', eighths, { scope: other }],
  ['those of a company', ['10.0.0.0/8', '172.16.0.0/12', 'fd00::/8'], {}],
  ['those to its own gateway', ['203.0.113.77/32', '9.0.0.1/32'], {}],
  ['a network that is numbered as in examples', ['198.51.100.0/24', '2001:db8::/32'], {}],
])('another VPN’s routes do not come first where they are %s', async (_, prefixes, more) => {
  const scene = createScene();
  await connect(scene, 'global');
  addOther(scene, prefixes, more);
  expect(await isOverruled(scene)).toBe(false);
});

test('only routes that lead everything into a tunnel can come second', async () => {
  const scene = createScene();
  await connect(scene, 'only listed addresses');
  addOther(scene, eighths);
  expect(await isOverruled(scene)).toBe(false);
  await release(scene);
  expect(await isOverruled(scene)).toBe(false);
});
