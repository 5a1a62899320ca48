import { readFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { clientCertificate } from '#shared/helper/protocol.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import { connectPastBlock } from '../../../../src/main/tunnel/connect-past-block.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in.ts';
import { openHelperConnection } from '../../../../src/main/tunnel/helper-connection.ts';
import { createTestMemory } from '../../../unit/main/support/memory.ts';

/**
 * Run inside a machine, `node sign-in-process.ts HOST ADDRESS PORT USER PASSWORD [HELPER [IDENTITY]]`: signs in to a gateway,
 * trusting whatever key it shows, with the client certificate in a JSON file, and prints the session as JSON; as the app does, through the helper that listens on
 * that socket while it blocks traffic for this gateway.
 */
const [host = '', address = '', port = '', username = '', password = '', helper = '', file] =
  process.argv.slice(2);
const identity =
  file === undefined ? undefined : clientCertificate.parse(JSON.parse(await readFile(file, 'utf8')));
const gateway = { host, port: Number(port) };
const log = pino({ enabled: false });
const version = '0.1.0';

const client = await openHelperConnection({ socketPath: helper, version, onState: () => undefined, log });
const state: TunnelState =
  typeof client === 'string' ? { state: 'disconnected' } : await client.call('snapshot', {});
const connectToGateway = connectPastBlock({ state: () => state, socketPath: helper, version, log });

const transport = await connectToGateway(gateway, address);
const pin = await new Promise<string>((resolve, reject) => {
  const socket = connect({ socket: transport, servername: host, rejectUnauthorized: false });
  for (const end of ['error', 'close']) transport.once(end, () => reject(new Error(end)));
  socket.once('error', reject);
  socket.once('secureConnect', () => {
    const certificate = socket.getPeerX509Certificate();
    socket.destroy();
    if (certificate) resolve(certificatePin(certificate));
    else reject(new Error('the gateway showed no certificate'));
  });
});

const signIn = createSignIn({
  pins: () => ({ [host]: [pin] }),
  connect: connectToGateway,
  memory: createTestMemory(),
  identity: () => Promise.resolve(identity),
  openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
  askUser: () => Promise.resolve(undefined),
  version,
  log,
});
const result = await signIn({
  gateway,
  address,
  credentials: { username, password },
  interactive: false,
  signal: new AbortController().signal,
});
if (!result.ok) throw new Error(`sign-in failed: ${result.failure}`);
process.stdout.write(JSON.stringify(result.signedIn.session));
if (typeof client !== 'string') client.close();
