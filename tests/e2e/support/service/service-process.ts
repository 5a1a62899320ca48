import { once } from 'node:events';
import { readConfig } from '../../../../src/service/config.ts';
import { scaledLimits } from '../../../../src/service/limits/limits.ts';
import { createService } from '../../../../src/service/service.ts';

/** What a test has the service's process do; it answers when that is done. */
export type ServiceOrder =
  /** Moves its clock on by so many milliseconds. */
  | { advance: number }
  /** Closes its port, or opens it again: what is seen from outside of a service that is down, at less cost. */
  | { reachable: boolean };

/** What the process says once it listens. */
export interface Listening {
  url: string;
  mailboxUrl: string;
}

/**
 * The embedded service as the tests run it: its own code on its own configuration, with a clock that the
 * tests can move and room for more sign-ins than people make.
 */
let advanced = 0;

const service = await createService({
  config: readConfig(process.env),
  now: () => new Date(Date.now() + advanced),
  limits: scaledLimits(10_000),
  requestsPerMinute: 100_000,
});
const { server } = service.http;
const { url, mailboxUrl } = await service.listen();
if (mailboxUrl === undefined) throw new Error('the service has no mailbox');
const { hostname, port } = new URL(url);

async function setReachable(reachable: boolean): Promise<void> {
  if (reachable === server.listening) return;
  const done = once(server, reachable ? 'listening' : 'close');
  if (reachable) {
    server.listen(Number(port), hostname);
  } else {
    server.close();
    server.closeAllConnections();
  }
  await done;
}

process.on('message', (order: ServiceOrder) => {
  if ('advance' in order) advanced += order.advance;
  const done = 'reachable' in order ? setReachable(order.reachable) : Promise.resolve();
  void done.then(() => process.send?.('done'));
});
process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
process.on('disconnect', () => process.exit(1));
const listening: Listening = { url, mailboxUrl };
process.send?.(listening);
