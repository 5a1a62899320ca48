import ipaddr from 'ipaddr.js';

/** Whether an address is of those that homes and offices have (RFC 1918, RFC 4193). */
export const isPrivateAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ['private', 'uniqueLocal'].includes(ipaddr.parse(address).range());
