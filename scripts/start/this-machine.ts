import type { Place } from './place.ts';
import { mailboxPort, servicePort, startServiceProcess } from './service-process.ts';

/** Service and app on this machine, without a gateway: everything but a tunnel can be tried. */
export async function startOnThisMachine(running: AsyncDisposableStack): Promise<Place> {
  await startServiceProcess(running, {});
  const url = `http://127.0.0.1:${servicePort}`;
  return {
    apiUrl: url,
    consoleUrl: url,
    mailboxUrl: `http://127.0.0.1:${mailboxPort}`,
    env: {},
    machine: undefined,
    publish: () => Promise.resolve(),
    hints: [],
  };
}
