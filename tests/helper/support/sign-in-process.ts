import { connect } from 'node:tls';
import { pino } from 'pino';
import { certificatePin } from '../../../src/main/gateway/certificate-pin.ts';
import { createSignIn } from '../../../src/main/gateway/sign-in.ts';
import { createTestMemory } from '../../unit/main/support/memory.ts';

/**
 * Run inside a machine, `node sign-in-process.ts HOST ADDRESS PORT USER PASSWORD`: signs in to a gateway,
 * trusting whatever key it shows, and prints the session as JSON.
 */
const [host = '', address = '', port = '', username = '', password = ''] = process.argv.slice(2);

const pin = await new Promise<string>((resolve, reject) => {
  const socket = connect({ host: address, port: Number(port), servername: host, rejectUnauthorized: false });
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
  memory: createTestMemory(),
  identity: () => Promise.resolve(undefined),
  openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
  askUser: () => Promise.resolve(undefined),
  version: '0.1.0',
  log: pino({ enabled: false }),
});
const result = await signIn({
  gateway: { host, port: Number(port) },
  address,
  credentials: { username, password },
  interactive: false,
  signal: new AbortController().signal,
});
if (!result.ok) throw new Error(`sign-in failed: ${result.failure}`);
process.stdout.write(JSON.stringify(result.signedIn.session));
