import path from 'node:path';
import { test as base } from '../fixtures.ts';
import { openCommandLine, type CommandLine } from './command-line.ts';

/** Tests of the command line, whose daemon is ended after each. */
export const test = base.extend<{ commandLine: CommandLine }>({
  commandLine: async ({ lab, service, directory }, provide) => {
    const commandLine = openCommandLine({
      lab,
      userData: path.join(directory, 'app'),
      env: {
        WAYMAKER_API_URL: service.apiUrl,
        WAYMAKER_HELPER_SOCKET: path.join(directory, 'helper/run/helper.sock'),
      },
    });
    await provide(commandLine);
    await commandLine.end();
  },
});
