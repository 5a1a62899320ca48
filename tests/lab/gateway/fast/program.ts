import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startDataPath } from '../../../../helper/engine/own/data-path/start-data-path.ts';
import { openTunnelDevice } from '../../../../helper/linux/routing/open-tunnel-device.ts';
import type { Credentials } from '../../../../src/main/self-test/gateway/sign-in-form.ts';
import type { Pushed } from '../../../../src/main/self-test/gateway/tunnel-answer.ts';
import { serve, type Served } from './serve.ts';

/** Runs inside a machine, `node program.ts JSON`, until it is killed; it needs root, as the machine does. */

export interface FastGatewayArguments {
  /** Files of PEM. */
  readonly certificate: string;
  readonly key: string;
  /** A file with an array of `Credentials`, read at each sign-in. */
  readonly users: string;
  readonly address: string;
  readonly port: number;
  readonly device: string;
  readonly pushed: Pushed;
}

const given = JSON.parse(process.argv[2] ?? '') as FastGatewayArguments;
const { pushed } = given;

const log = (text: string) => void process.stdout.write(`${text}\n`);
const fail = (error: Error) => {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  process.kill(process.pid, 'SIGKILL');
};

const dataPath = await startDataPath({
  program: path.join(import.meta.dirname, 'data-path-thread.ts'),
  onNote: log,
  onFailed: fail,
});
if (!dataPath) throw new Error('there is no data path');
const opened = openTunnelDevice(given.device);
opened.attach(null);
execFileSync('ip', ['-batch', '-'], {
  input: [
    `link set ${given.device} mtu ${pushed.mtu} up`,
    `route add ${pushed.addresses.ipv4}/32 dev ${given.device}`,
    `route add ${pushed.addresses.ipv6}/128 dev ${given.device}`,
  ].join('\n'),
});
let served: Served | undefined;
const device = dataPath.openDevice({
  descriptor: opened.inherited,
  onPacket: (packet) => served?.send(packet),
  isBusy: () => false,
  onEnd: fail,
});
device.pass();
served = await serve({
  certificate: {
    certificate: readFileSync(given.certificate, 'utf8'),
    key: readFileSync(given.key, 'utf8'),
  },
  users: () => JSON.parse(readFileSync(given.users, 'utf8')) as Credentials[],
  pushed,
  address: given.address,
  port: given.port,
  dataPath,
  device,
  log,
});
log('listening');
