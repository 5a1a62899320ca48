import { readLimits } from '../data-path/limits.ts';
import { startDataPath, type DataPath } from '../data-path/start-data-path.ts';

/** What the engine's process has made ready while it could still load files. */
export interface Prepared {
  /** Undefined: packets and datagrams take Node's own ways. */
  dataPath: DataPath | undefined;
  /** Has the notes read that were made so far, and those that come. */
  readNotes(reader: (text: string) => void): void;
}

/** `program`: the file in which a thread calls `runDataPath`; `limits`: what that leaves out (`readLimits`). */
export async function prepareEngine(program: string, limits: string | undefined): Promise<Prepared> {
  const early: string[] = [];
  let read = (text: string): void => void early.push(text);
  const onNote = (text: string) => read(text);
  const onFailed = (error: Error) => {
    // Packets would get lost for good; another engine gets the session.
    console.error(`the data path has failed: ${error.stack ?? error.message}`);
    setImmediate(die);
  };
  // Its own end would wait for the thread as well.
  process.on('uncaughtException', (error) => {
    console.error(error.stack ?? error.message);
    die();
  });
  const known = readLimits(limits);
  if (known === 'off') onNote('data path: off');
  const dataPath =
    known === 'off' ? undefined : await startDataPath({ program, limits: known, onNote, onFailed });
  return {
    dataPath,
    readNotes(reader) {
      for (const text of early.splice(0)) reader(text);
      read = reader;
    },
  };
}

/** At once: a thread that waits for the device's next packet would keep an orderly end waiting. */
export function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
