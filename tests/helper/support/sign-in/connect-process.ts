import { pino } from 'pino';
import { createGatewayAddresses } from '../../../../src/main/gateway/gateway-addresses.ts';
import { followRedirects } from '../../../../src/main/gateway/sign-in/redirects.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import { connectPastBlock } from '../../../../src/main/tunnel/connect-past-block.ts';
import { createDestinations } from '../../../../src/main/tunnel/destination.ts';
import { createHelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import { createTunnelController } from '../../../../src/main/tunnel/tunnel-controller.ts';
import { createTestMemory } from '../../../unit/main/support/memory.ts';
import { createMemorySettings } from '../../../unit/main/support/memory-settings.ts';

/**
 * Run inside a machine, `node connect-process.ts OPTIONS`: connects as the app does, prints each state as a line of
 * JSON, and stays until it is killed.
 */
export interface ConnectProcessOptions {
  socket: string;
  server: string;
  credentials: { username: string; password: string };
  killSwitch: boolean;
  /** By host name. */
  pins: Record<string, string[]>;
  /** Addresses at which gateways answered before, by host name. */
  gatewayAddresses: Record<string, string>;
  /** What was found for their names. */
  gatewayLookUps?: Record<string, string[]>;
}

const options = JSON.parse(process.argv[2] ?? '') as ConnectProcessOptions;
const log = pino({ name: 'app' }, pino.destination(2));
const settings = createMemorySettings();
settings.set('gatewayAddresses', options.gatewayAddresses);
settings.set('gatewayLookUps', options.gatewayLookUps ?? {});
const addresses = createGatewayAddresses(settings);
const memory = createTestMemory();
const helper = createHelperClient({ socketPath: options.socket, version: '0.1.0', log });
const follow = followRedirects({
  signInAt: createSignIn({
    pins: () => options.pins,
    connect: connectPastBlock({
      state: () => helper.state(),
      socketPath: options.socket,
      version: '0.1.0',
      log,
    }),
    memory,
    identity: () => Promise.resolve(undefined),
    openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
    askUser: () => Promise.resolve(undefined),
    log,
  }),
  addresses,
  memory,
  log,
});
const tunnel = createTunnelController({
  helper,
  addresses,
  memory,
  signIn: (request) => follow({ ...request, credentials: options.credentials }),
  isSignedIn: () => true,
  refusal: () => Promise.resolve(undefined),
  destinations: createDestinations({ memory, plan: { isMarked: () => false, isSharedByPath: () => false } }),
  deadline: () => undefined,
  preferences: {
    forTunnel: () => ({
      routing: { mode: 'global', localNetwork: false },
      killSwitch: options.killSwitch,
    }),
    subscribe: () => undefined,
  },
  emit: (state) => process.stdout.write(`${JSON.stringify(state)}\n`),
  onSession: () => undefined,
  onWords: () => undefined,
  log,
});
await helper.ready;
await tunnel.host.connect({ address: options.server });
