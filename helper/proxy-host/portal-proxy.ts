import type { Log } from '../log.ts';
import type { ProgramProcess } from '../system/ports/engine-host-port.ts';
import { startProxyProgram } from './proxy-program.ts';

/**
 * The portal's proxy is the program of mode pac, with no list, and with the resolvers of the network. Resolves once it
 * serves; rejects if it does not. `onEnd`: it has ended by itself.
 */
export async function startPortalProxy(options: {
  start: () => ProgramProcess;
  resolvers: readonly string[];
  onEnd: () => void;
  log: Log;
}): Promise<{ stop: () => void }> {
  const { start, resolvers, onEnd, log } = options;
  const program = startProxyProgram({ start, onEnd, log });
  const stop = () => program.kill();
  try {
    await program.configure({
      resolvers: [...resolvers],
      families: { ipv4: true, ipv6: true },
      routeDomains: [],
      blockedDomains: [],
      directDomains: [],
      outlive: false,
    });
    return { stop };
  } catch (error) {
    stop();
    throw error;
  }
}
