import { Writable } from 'node:stream';
import { pino, type Logger } from 'pino';

/** A logger whose every line a test can read. */
export function createTestLog(): { log: Logger; text: () => string } {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { log: pino({ level: 'trace' }, sink), text: () => lines.join('') };
}
