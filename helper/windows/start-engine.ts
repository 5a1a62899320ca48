import { outliveOutput } from '#node/os/standard-output.ts';
import { runEngine } from '../engine/own/process/run-engine.ts';
import { dropRights } from './programs/drop-rights.ts';

/**
 * The program of our own engine. It is loaded by now, and gives its rights up before it reads or opens anything else.
 * Packets come in frames on a pipe, because only administrators can open the adapter.
 */
process.title = 'waymaker-engine';
outliveOutput();
const notes = dropRights();
runEngine({
  dataPath: undefined,
  readNotes: (read) => {
    for (const note of notes) read(note);
  },
});
