import type { SystemParts } from './system-parts.ts';

/** How long the gateway takes to answer the engine at this address, in milliseconds; undefined if that is not known. */
export const gatewayRoundTrip = (
  { ports, log }: Pick<SystemParts, 'ports' | 'log'>,
  address: string,
): Promise<number | undefined> =>
  ports.engines.roundTripMs(address).catch((error: unknown) => {
    log.error('how long the gateway takes to answer could not be found out', error);
    return undefined;
  });
