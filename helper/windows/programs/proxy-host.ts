import path from 'node:path';
import type { Log } from '../../log.ts';
import { createKeptProxy } from '../../proxy-host/kept-proxy.ts';
import { startPortalProxy } from '../../proxy-host/portal-proxy.ts';
import { proxyNodeArguments } from '../../proxy-host/proxy-program.ts';
import { proxyPorts } from '../../proxy-host/proxy-ports.ts';
import type { PortalHost } from '../../system/ports/portal-port.ts';
import type { ProxyHost } from '../../system/ports/proxy-host-port.ts';
import type { ProcessLibraries } from '../calls/process-calls.ts';
import { findFreePort } from './free-port.ts';
import { endRememberedProcess, rememberProcess } from './remembered-process.ts';
import { startProgram } from './start-program.ts';

interface ProxyHostOptions {
  /** Gives the proxy's program, or throws if it may not be started. */
  program: () => string;
  /** One that only administrators can open. */
  directory: string;
  libraries?: ProcessLibraries | undefined;
  log: Log;
}

/** The proxy's process has no more rights than the engine's, and opens its port itself. */
const startProxy = (
  { libraries, log }: Pick<ProxyHostOptions, 'libraries' | 'log'>,
  program: string,
  { port, mayOutlive }: { port: number; mayOutlive: boolean },
) =>
  startProgram(proxyNodeArguments, {
    program,
    args: [`--port=${port}`],
    stdio: ['pipe', 'pipe', 'pipe'],
    mayOutlive,
    libraries,
    log,
  });

/**
 * The proxy of automatic routing. No port is for administrators only on Windows: while the proxy does not run, the
 * filter alone keeps others from answering at its port.
 */
export function createProxyHost(options: ProxyHostOptions): ProxyHost {
  const { program, directory, log } = options;
  const record = path.join(directory, 'proxy.json');
  return {
    isSupported: () => true,
    endLeftOver: async () => endRememberedProcess(record),
    async create() {
      let port: number | undefined;
      return createKeptProxy(
        {
          port: async () => (port ??= await findFreePort(proxyPorts)),
          start() {
            if (port === undefined) throw new Error('the proxy has no port yet');
            const started = startProxy(options, program(), { port, mayOutlive: true });
            // Before it is told that it may outlive this process.
            if (started.pid !== undefined) rememberProcess(record, started.pid);
            return started;
          },
          close: () => undefined,
          endLeftOver: async () => endRememberedProcess(record),
          // A socket with the tunnel's address only has the routes of its interface.
          bindsSources: true,
        },
        log,
      );
    },
  };
}

/** The proxy for a captive portal's pages, at any free port, which ends with this process. */
export const createPortalHost = (options: Omit<ProxyHostOptions, 'directory'>): PortalHost => ({
  isSupported: () => true,
  async start(resolvers, onEnd) {
    const file = options.program();
    const port = await findFreePort([0]);
    const start = () => startProxy(options, file, { port, mayOutlive: false });
    return { port, ...(await startPortalProxy({ start, resolvers, onEnd, log: options.log })) };
  },
});
