import type { Readable } from 'node:stream';

/** Lines of a stream of UTF-8, however long, without what ends them; a last one without an end is left out. */
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
