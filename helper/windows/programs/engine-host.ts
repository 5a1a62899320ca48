import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import type { EngineHost } from '../../system/ports/engine-host-port.ts';

/** In MB, as on Linux: packets live briefly. */
const nodeArguments = ['--max-old-space-size=96', '--max-semi-space-size=4'];

/**
 * Our own engine in a process that gives up its rights, and ends with the helper, whose pipe it reads. There is no other
 * engine on Windows. `program` gives its file, or throws if it may not be started; `directory` is one that only
 * administrators can open.
 */
export function createEngineHost(program: () => string, directory: string): EngineHost {
  return {
    isAvailable: async (engine) => engine === 'own',
    command() {
      throw new Error('only our own engine runs on Windows');
    },
    ownCommand() {
      const { SystemRoot = String.raw`C:\Windows` } = process.env;
      return {
        file: process.execPath,
        args: [...nodeArguments, program()],
        // Without it, Windows finds neither sockets nor random numbers.
        environment: { SystemRoot },
      };
    },
    secretFile(content) {
      const folder = mkdtempSync(path.join(directory, 'secret-'));
      try {
        const descriptor = openSync(path.join(folder, 'secret'), 'wx+', 0o600);
        writeSync(descriptor, content);
        return {
          descriptor,
          pathIn: () => {
            throw new Error('it has no path');
          },
          [Symbol.dispose]() {
            closeSync(descriptor);
          },
        };
      } finally {
        // Who has it open still reads it.
        rmSync(folder, { recursive: true, force: true });
      }
    },
    connect: ({ address, port }) => connect({ host: address, port }),
    linkMtu: async () => undefined,
    datagramPort: async () => undefined,
    roundTripMs: async () => undefined,
    endLeftOver: async () => undefined,
  };
}
