import path from 'node:path';
import { test as base } from '../../fixtures.ts';
import { openCommandLine, signInByCommand, type CommandLine } from './command-line.ts';

interface CommandLineFixtures {
  /** Nobody is signed in, and nothing runs; the daemon is ended after each test. */
  commandLine: CommandLine;
  /** The same with the user of `email` signed in, and the helper running. */
  signedInCommandLine: CommandLine;
}

/** Tests of the command line. */
export const test = base.extend<CommandLineFixtures>({
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
  // The helper is named to be there before the daemon, and after it.
  signedInCommandLine: async ({ helper: _helper, commandLine, service, email }, provide) => {
    await signInByCommand(commandLine, service, email);
    await provide(commandLine);
  },
});
