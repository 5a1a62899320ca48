/**
 * `node exec-with-listener.ts UID PROGRAM ARGUMENT…`, as root: opens the socket that the helper opens for its proxy,
 * prints its port on a line, and becomes that program, which gets the descriptor as one more argument.
 */
import { writeSync } from 'node:fs';
import koffi from 'koffi';
import { openProxyListener } from '../../../../helper/linux/programs/proxy-listener.ts';
import { createLog } from '../../../../helper/log.ts';

const [uid, program = '', ...args] = process.argv.slice(2);
const { port, descriptor } = openProxyListener(Number(uid), createLog());
// The copy stays open (dup(2)).
const inherited = koffi.load(null).func('int dup(int)')(descriptor) as number;
writeSync(1, `${port}\n`);
process.execve?.(program, [program, ...args, `--listener=${inherited}`]);
