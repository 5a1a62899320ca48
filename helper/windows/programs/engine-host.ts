import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import type { Log } from '../../log.ts';
import type { EngineHost } from '../../system/ports/engine-host-port.ts';
import type { ProcessLibraries } from '../calls/process-calls.ts';
import { startProgram } from './start-program.ts';

/** In MB, as on Linux: packets live briefly. */
const nodeArguments = ['--max-old-space-size=96', '--max-semi-space-size=4'];

/**
 * Our own engine in a process without rights, which ends with the helper. There is no other engine on Windows.
 * `program` gives its file, or throws if it may not be started; `directory` is one that only administrators can open.
 */
export function createEngineHost(parts: {
  program: () => string;
  directory: string;
  libraries?: ProcessLibraries;
  log: Log;
}): EngineHost {
  const { program, directory, libraries, log } = parts;
  return {
    isAvailable: async (engine) => engine === 'own',
    command() {
      throw new Error('only our own engine runs on Windows');
    },
    ownCommand() {
      const file = program();
      return {
        file: process.execPath,
        args: [...nodeArguments, file],
        environment: {},
        start: (stdio) => startProgram(nodeArguments, { program: file, stdio, libraries, log }),
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
