import { networkInterfaces } from 'node:os';

/** This computer's addresses, which are others in another network, and with a tunnel: other resolvers answer there. */
export const ownAddresses = (): string =>
  Object.values(networkInterfaces())
    .flatMap((all = []) => all.filter(({ internal }) => !internal).map(({ address }) => address))
    .sort()
    .join(' ');
