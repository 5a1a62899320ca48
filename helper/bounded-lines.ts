import type { Readable } from 'node:stream';

/**
 * Calls back with each line of what a process says that may have been taken over by somebody in the network; of a
 * line that is longer than `most` characters only with its beginning, so that no line fills the helper's memory.
 */
export function onBoundedLine(input: Readable, most: number, onLine: (line: string) => void): void {
  let line = '';
  const add = (piece: string) => {
    if (line.length < most) line += piece.slice(0, most - line.length);
  };
  const finish = () => {
    onLine(line);
    line = '';
  };
  input.setEncoding('utf8');
  input.on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n');
    add(first);
    for (const other of others) {
      finish();
      add(other);
    }
  });
  input.on('end', () => {
    if (line !== '') finish();
  });
}
