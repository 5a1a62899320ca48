import http from 'node:http';
import https from 'node:https';
import { strict } from './strict.ts';

/** Electron's requests are shaped like Node's; this one takes their options, not an address. */
export const net = strict('net', {
  request: (options: http.RequestOptions & { partition?: string }) =>
    (options.protocol === 'https:' ? https : http).request(options),
});
