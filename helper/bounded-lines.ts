import type { Readable } from 'node:stream';

/**
 * Calls back with each line of a process's output, which somebody on the network may control. A line longer than
 * `maxChars` characters is cut, so that no line fills the helper's memory.
 */
export function onBoundedLine(input: Readable, maxChars: number, onLine: (line: string) => void): void {
  let line = '';
  const add = (piece: string) => {
    if (line.length < maxChars) line += piece.slice(0, maxChars - line.length);
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
