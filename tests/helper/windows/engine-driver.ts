import path from 'node:path';
import { launchOwn } from '../../../helper/engine/own/launch-own.ts';
import { createLog } from '../../../helper/log.ts';
import { makeAdapter } from '../../../helper/windows/device/make-adapter.ts';
import { relayPackets } from '../../../helper/windows/device/packet-relay.ts';
import { createWintun } from '../../../helper/windows/calls/wintun.ts';
import { createEngineHost } from '../../../helper/windows/programs/engine-host.ts';
import type { GatewaySession } from '../../../src/shared/helper/gateway-session.ts';

/**
 * Run under wine, in the helper's place: `node engine-driver.mjs GATEWAY`, with an address, a port and a session as
 * JSON. Makes the adapter and starts the engine, and prints what that says as JSON lines. What has to be configured is
 * left to the test, which does it with the device of Linux in the adapter's place.
 */
const { address, port, session } = JSON.parse(process.argv[2] ?? '') as {
  address: string;
  port: number;
  session: GatewaySession;
};
const tell = (event: string, data: object = {}) => console.log(JSON.stringify({ event, ...data }));

const log = createLog((line) => tell('log', { line }));
const wintun = createWintun(path.join(import.meta.dirname, 'wintun.dll'));
const { adapter, session: packets } = await makeAdapter(wintun, log);
tell('adapter', { luid: String(adapter.luid) });
const library = process.env['PROCESS_DOUBLE'];
const host = createEngineHost({
  program: () => path.join(import.meta.dirname, 'engine.mjs'),
  directory: import.meta.dirname,
  ...(library !== undefined && { libraries: { advapi32: library, kernel32: library } }),
  log,
});
const engine = launchOwn({
  gateway: { host: address, port },
  address,
  otherAddresses: [],
  proxy: undefined,
  session,
  device: {
    name: 'Waymaker',
    packetHeader: 'length',
    open: () => ({
      inherited: 'overlapped',
      attach(pipe) {
        if (pipe) relayPackets({ session: packets, pipe, onEnd: (why) => tell('relay', { why }) });
      },
      close: () => undefined,
    }),
  },
  mtu: undefined,
  linkMtu: async () => 1_500,
  wantsPushedRoutes: false,
  roundTripMs: 0,
  unprivileged: () => {
    throw new Error('there is no other engine');
  },
  ownProgram: () => host.ownCommand(),
  secretFile: (content) => host.secretFile(content),
  log,
  onBegun: () => tell('begun'),
  onReached: () => tell('reached'),
  async onConfiguration(given) {
    tell('configuration', { given });
    return true;
  },
  onTerms: () => undefined,
  onGoodbye: () => undefined,
  onTransport: (transport) => tell('transport', { transport }),
  onUnreachable: (cause) => tell('unreachable', { cause }),
  onEncryption: (transport, encryption) => tell('encryption', { transport, encryption }),
});
engine.release();
tell('ended', { end: await engine.ended });
process.exit(0);
