import { parseArgs } from 'node:util';
import { outliveOutput } from '#node/os/standard-output.ts';
import { runProxy } from '../proxy/run-proxy.ts';
import { dropRights } from './programs/drop-rights.ts';

/**
 * The proxy's program, `node start-proxy.ts [--restricted] --port N`. It has no rights, or is loaded by now and gives
 * them up before it reads or opens anything else. Windows lets no process inherit a socket by its number, so it opens
 * its own.
 */
process.title = 'waymaker-proxy';
// The helper that reads it may be killed; this program can outlive it.
outliveOutput();
const { values } = parseArgs({ options: { port: { type: 'string' }, restricted: { type: 'boolean' } } });
// The system lets one without rights not even open its own token.
if (!values.restricted) for (const note of dropRights()) console.error(note);
if (values.port === undefined || !/^\d{1,5}$/.test(values.port))
  throw new Error('--port is needed, as a number');
await runProxy({ host: '127.0.0.1', port: Number(values.port) });
