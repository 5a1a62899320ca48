import type { Machine } from '../../tests/lab/machine/machine.ts';

/** Where the product runs: in the laboratory or on this machine. */
export interface Place {
  /** The service's address for the desktop app. */
  readonly apiUrl: string;
  /** The service's address for a browser on this machine. */
  readonly consoleUrl: string;
  readonly mailboxUrl: string;
  /** Additional variables for the desktop app's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The laboratory's machine on which the app runs; undefined for this one. */
  readonly machine: Machine | undefined;
  /** Makes a port on the app's loopback reachable on this machine's loopback. */
  publish(port: number): Promise<void>;
  /** Lines that say what can be tried; `commandLine` is how to call the command line. */
  hints(commandLine: string): readonly string[];
}
