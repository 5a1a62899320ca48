import { parseArgs } from 'node:util';
import { outliveOutput } from '#node/os/standard-output.ts';
import { runProxy } from '../proxy/run-proxy.ts';
import { dropRights } from './programs/drop-rights.ts';

/**
 * The proxy's program, `node start-proxy.ts --port N`. It is loaded by now, and gives its rights up before it reads or opens
 * anything else. Windows lets no process inherit a socket by its number, so it opens its own.
 */
process.title = 'waymaker-proxy';
// The helper that reads it may be killed; this program can outlive it.
outliveOutput();
for (const note of dropRights()) console.error(note);
const { values } = parseArgs({ options: { port: { type: 'string' } } });
if (values.port === undefined || !/^\d{1,5}$/.test(values.port))
  throw new Error('--port is needed, as a number');
await runProxy({ host: '127.0.0.1', port: Number(values.port) });
