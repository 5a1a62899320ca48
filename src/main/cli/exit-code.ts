/** The command line's exit codes, which are part of its interface; see docs/command-line.md. */
export const exitCode = {
  done: 0,
  /** The command failed; the reason is on standard error. */
  failed: 1,
  /** The command, an option or an argument is wrong. */
  usage: 2,
  notSignedIn: 3,
  /** No tunnel can be made on this computer in its present state: the helper is absent, or may not be used. */
  unavailable: 4,
  /** There is no tunnel: connecting failed, or `status --check` found none. */
  notConnected: 5,
  /** The user may not use the server, or the connection belongs to another user. */
  refused: 6,
  /** `doctor` found something wrong. */
  problems: 7,
  /** `self-test` found nothing wrong, but could not check everything. */
  unchecked: 8,
  /** By SIGINT, as in shells. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
