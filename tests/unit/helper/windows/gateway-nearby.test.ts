import { beforeEach, describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { createLog } from '../../../../helper/log.ts';
import {
  configurationWith,
  connectionOf,
  type Disk,
  owner,
  programs,
  startHelper,
} from './model/helper-on-machine.ts';
import { Machine } from './model/machine.ts';
import { Life } from './model/helper-life.ts';
import type { Packet } from './model/packets.ts';

/** A gateway, or the proxy that leads to it, on the machine's own private network: what else its host offers. */

const host = '192.168.7.40';
const log = createLog(() => undefined);
let machine: Machine;
beforeEach(() => {
  machine = new Machine(true);
});

async function connectTo(routing: Routing, proxyPort?: number) {
  const proxy = proxyPort === undefined ? {} : { proxy: { protocol: 'http' as const, port: proxyPort } };
  const helper = startHelper(machine, {}, { log });
  await helper.apply({ ...connectionOf(routing, true), address: host, ...proxy });
  await helper.configure(configurationWith());
  return helper;
}

const browser = { file: 'C:\\browser.exe', sid: owner };
const outcome = (remotePort: number, more: Partial<Packet> = {}) =>
  machine.outcome({
    way: 'connect',
    remote: host,
    protocol: 6,
    localPort: 50_000,
    remotePort,
    program: browser,
    ...more,
  });

const outcomes = () => ({
  engine: outcome(443, { program: programs.engine }),
  page: outcome(80),
  datagram: outcome(9, { protocol: 17 }),
  lookUp: outcome(53, { protocol: 17 }),
});

const open: [string, Routing][] = [
  ['everything', { mode: 'global', localNetwork: true }],
  [
    'all but listed addresses',
    { mode: 'ip', policy: 'exclude', routeIps: ['203.0.113.0/24'], localNetwork: true },
  ],
  [
    'listed addresses, among them the gateway’s',
    { mode: 'ip', policy: 'include', routeIps: ['192.168.0.0/16'], localNetwork: true },
  ],
];

describe.each(open)('with %s in the tunnel, and access to the local network', (_what, routing) => {
  test('the gateway’s host is reached like any neighbour, and never asked for names, also while traffic is blocked', async () => {
    const helper = await connectTo(routing);
    const wanted = { engine: 'outside', page: 'outside', datagram: 'outside', lookUp: 'refused' };
    expect(outcomes()).toEqual(wanted);
    await helper.release({ keepBlocking: true });
    expect(outcomes()).toEqual(wanted);
  });

  test('the proxy is open to the engine alone, and its host’s other services are reached', async () => {
    await connectTo(routing, 3_128);
    expect(outcome(3_128, { program: programs.engine })).toBe('outside');
    expect(outcome(3_128)).toBe('refused');
    expect(outcome(80)).toBe('outside');
  });

  test('so is the proxy at its other addresses, also once the helper has been killed', async () => {
    const other = '192.168.7.41';
    const outcomesThere = () => [
      outcome(3_128, { remote: other, program: programs.engine }),
      outcome(3_128, { remote: other }),
      outcome(80, { remote: other }),
    ];
    const [disk, life]: [Disk, Life] = [{}, new Life()];
    const helper = startHelper(machine, disk, { log, life });
    const proxy = { protocol: 'http', port: 3_128 } as const;
    await helper.apply({ ...connectionOf(routing, true), address: host, otherAddresses: [other], proxy });
    await helper.configure(configurationWith());
    expect(outcomesThere()).toEqual(['outside', 'refused', 'outside']);
    life.isOver = true;
    machine.helperEnds();
    const next = startHelper(machine, disk, { log });
    expect(await next.recover()).toMatchObject({ kind: 'connection', blocked: true });
    expect(outcomesThere()).toEqual(['outside', 'refused', 'outside']);
  });
});

test('without access to the local network, only the engine reaches the gateway’s host', async () => {
  await connectTo({ mode: 'global', localNetwork: false });
  const { engine, ...others } = outcomes();
  expect(engine).toBe('outside');
  expect(Object.values(others)).not.toContain('outside');
});
