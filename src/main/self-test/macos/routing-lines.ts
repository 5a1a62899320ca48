/**
 * The routes that `netstat -rn` prints that somebody has set: without those that the system makes for single neighbours
 * as it meets them (flags W, L of route(8)), and without what changes in the others.
 */
export const routingLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , flags = '']) => /^[A-Zcighmor]*U[A-Za-z0-9]*$/.test(flags) && !/[WL]/.test(flags))
    .map(([destination, gateway, flags, device]) => [destination, gateway, flags, device].join(' '))
    .toSorted()
    .join('\n');
