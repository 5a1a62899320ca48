import { outliveOutput } from '#node/os/standard-output.ts';
import { runEngine } from '../engine/own/process/run-engine.ts';
import { dropRights } from './programs/drop-rights.ts';

/**
 * The program of our own engine. It has no rights, or is loaded by now and gives them up before it reads or opens
 * anything else. Packets come in frames on a pipe, because only administrators can open the adapter.
 */
process.title = 'waymaker-engine';
outliveOutput();
// The system lets one without rights not even open its own token.
const notes = process.argv.includes('--restricted') ? [] : dropRights();
runEngine({
  dataPath: undefined,
  readNotes: (read) => {
    for (const note of notes) read(note);
  },
});
