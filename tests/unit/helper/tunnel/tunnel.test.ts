import { expect, test, vi } from 'vitest';
import type { EngineChoice } from '../../../../helper/engine/engine-choice.ts';
import type { EngineEnd, EngineOptions } from '../../../../helper/engine/engine-port.ts';
import type { SystemAdapter } from '../../../../helper/system/system-adapter.ts';
import { Tunnel, type ReadConnectRequest } from '../../../../helper/tunnel/tunnel.ts';

const nothing = () => undefined;
const nothingLater = () => Promise.resolve(undefined);
const log = { info: nothing, warn: nothing, error: nothing };

/** A tunnel whose engine ends as the gateway says goodbye, on a system that blocks what it is asked to. */
function createTunnel(goodbye: string) {
  let protectionChanges: (inForce: boolean) => void = nothing;
  const adapter = {
    isSupported: () => true,
    watchProtection: (onChange: typeof protectionChanges) => void (protectionChanges = onChange),
    watchRouting: nothing,
    watchProblems: nothing,
    watchUplink: () => nothing,
    watchDevice: nothing,
    problems: () => [],
    apply: nothingLater,
    limitSegments: nothingLater,
    roundTripMs: nothingLater,
    release: ({ keepBlocking }: { keepBlocking: boolean }) => Promise.resolve({ blocked: keepBlocking }),
  };
  const launch = (options: EngineOptions) => {
    const { promise: ended, resolve } = Promise.withResolvers<EngineEnd>();
    const release = () => {
      options.onGoodbye(goodbye);
      resolve('unsuited');
    };
    return { racesAddresses: true, ended, release, stop: nothingLater, kill: nothing };
  };
  const engines = {
    found: ['own'],
    look: () => Promise.resolve(['own']),
    choose: () => ({ kind: 'own', launch, launchHolding: undefined }),
    exclude: () => false,
  };
  const tunnel = new Tunnel(adapter as unknown as SystemAdapter, engines as unknown as EngineChoice, log);
  return { tunnel, protectionChanges: (inForce: boolean) => protectionChanges(inForce) };
}

const request = {
  gateway: { host: 'vpn.example', port: 443 },
  address: '192.0.2.1',
  routing: { mode: 'global', localNetwork: false },
  killSwitch: true,
  session: { cookie: 'webvpn=abc', certificatePin: 'pin-sha256:AAAA' },
} as unknown as ReadConnectRequest;

test('what a gateway said last stays in the state while the protection comes and goes, until the user disconnects', async () => {
  const { tunnel, protectionChanges } = createTunnel('No licence');
  const client = { user: '1000', isAdministrator: false };
  tunnel.clients.attach(client);
  await tunnel.connect(request, client);
  const over = { state: 'disconnected', goodbye: 'No licence', blocked: true };
  await vi.waitFor(() => expect(tunnel.state.current).toEqual({ ...over, reason: 'engine-unsuited' }));
  protectionChanges(false);
  await vi.waitFor(() => expect(tunnel.state.current).toEqual({ ...over, reason: 'protection-lost' }));
  protectionChanges(true);
  await tunnel.disconnect(undefined, client);
  expect(tunnel.state.current).toEqual({ state: 'disconnected' });
});
