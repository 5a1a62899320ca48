import { parseArgs } from 'node:util';
import { outliveOutput } from '#node/os/standard-output.ts';
import { runProxy } from '../proxy/run-proxy.ts';
import { becomeUser } from './become-user.ts';

/**
 * The proxy's program, `node start-proxy.ts --uid N --gid N --listener N`, started by the helper as root. It becomes
 * that user before it reads or opens anything, and later loads nothing that this user may not read.
 */
const { values } = parseArgs({
  options: {
    uid: { type: 'string' },
    gid: { type: 'string' },
    // The descriptor of the listening socket that it inherits.
    listener: { type: 'string' },
  },
});
// The helper that reads it may be killed; this program can outlive it.
outliveOutput();
becomeUser({ uid: readNumber(values.uid), gid: readNumber(values.gid) });
await runProxy({ fd: readNumber(values.listener) });

function readNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,10}$/.test(text))
    throw new Error('--uid, --gid and --listener are needed, as numbers');
  return Number(text);
}
