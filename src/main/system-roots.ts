import tls from 'node:tls';
import type { Logger } from 'pino';

/**
 * Trusts what the operating system trusts, beside Node's own roots and those of NODE_EXTRA_CA_CERTS (which
 * are among the default ones), for gateways and for the service.
 */
export function trustSystemRoots(log: Logger): void {
  try {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...tls.getCACertificates('system')]);
  } catch (error) {
    log.warn({ err: error }, "the system's certificate store cannot be read");
  }
}
