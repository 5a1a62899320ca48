import { openableAddress } from './external-link.ts';

/**
 * A web address that may be opened. Undefined for anything else, such as addresses that run code, show files or start
 * programs, and for addresses that disguise themselves with credentials.
 */
export const webAddress = (address: string): string | undefined =>
  openableAddress(address, ['https:', 'http:']);
