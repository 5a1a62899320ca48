import type { Readable } from 'node:stream';

/** The lines of a UTF-8 stream, of any length, without their line ends; a last line without one is dropped. */
export async function* readLines(input: Readable): AsyncGenerator<string, void> {
  let pieces: string[] = [];
  input.setEncoding('utf8');
  for await (const chunk of input as AsyncIterable<string>) {
    const [first = '', ...others] = chunk.split('\n');
    pieces.push(first);
    for (const other of others) {
      yield pieces.join('');
      pieces = [other];
    }
  }
}
