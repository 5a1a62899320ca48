import type { Machine } from '../../tests/lab/machine.ts';

/** Where the product runs: in the laboratory or on this machine. */
export interface Place {
  /** The service as the desktop app reaches it. */
  readonly apiUrl: string;
  /** The service as a browser on this machine reaches it. */
  readonly consoleUrl: string;
  readonly mailboxUrl: string;
  /** What the desktop app's environment needs besides. */
  readonly env: Readonly<Record<string, string>>;
  /** The machine of the laboratory that the app runs on; undefined for this one. */
  readonly machine: Machine | undefined;
  /** Makes a port on the app's loopback reachable on this machine's. */
  publish(port: number): Promise<void>;
  /** Lines that tell what can be tried, given how the command line is called. */
  hints(commandLine: string): readonly string[];
}
