import { parseArgs } from 'node:util';
import { outliveOutput } from '#node/os/standard-output.ts';
import { runEngine } from '../engine/own/process/run-engine.ts';
import { becomeUser } from './become-user.ts';

/**
 * The program of our own engine, `node start-engine.ts --uid N --gid N`, started by the helper as root. It becomes that
 * user before it reads or opens anything, and later loads nothing that this user may not read.
 */
const { values } = parseArgs({ options: { uid: { type: 'string' }, gid: { type: 'string' } } });
// For people who look at what runs.
process.title = 'waymaker-engine';
outliveOutput();
becomeUser({ uid: readNumber(values.uid), gid: readNumber(values.gid) });
runEngine();

function readNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,10}$/.test(text))
    throw new Error('--uid and --gid are needed, as numbers');
  return Number(text);
}
