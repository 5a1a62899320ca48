import type { Logger } from 'pino';
import type { LossWatch } from '../diagnostics/loss-cause.ts';
import type { Environment } from '../environment.ts';
import type { OpenBrowser } from '../gateway/sign-in/single-sign-on.ts';
import type { Networks } from '../networks/networks.ts';
import type { LoginItem } from '../preferences/behaviour.ts';
import type { TextFile } from '../preferences/route-lists.ts';
import type { KeyValueFile } from '../preferences/settings.ts';
import type { Keychain } from '../session/keychain.ts';
import type { RunProgram } from '../run-program.ts';
import type { OpenPortalWindow } from '../tunnel/portal-sign-in.ts';

/** What surrounds the core: where it is, the files it keeps, and the desktop around it. */
export interface CoreOptions {
  environment: Environment;
  /** The app's version. */
  version: string;
  /** The system's language as a BCP 47 tag, empty if unknown. */
  lang: string;
  settingsFile: KeyValueFile;
  pageFile: KeyValueFile;
  /** The service's lists for the account. */
  planFile: KeyValueFile;
  /** In their own file, because they have several megabytes. */
  listsFile: TextFile;
  addressListsFile: TextFile;
  keychain: Keychain;
  connectionLogFile: KeyValueFile;
  lossWatch: LossWatch;
  /** The app's log, including earlier runs: lines of JSON, oldest first. */
  appLog: () => readonly string[];
  /** Undefined if the system cannot start the app. */
  loginItem?: LoginItem | undefined;
  /** Undefined if the app cannot find out which network the computer is on. */
  networks?: Networks | undefined;
  /** Runs the desktop's own programs in the session with this environment. */
  runProgram: RunProgram;
  session: Readonly<NodeJS.ProcessEnv>;
  openBrowser: OpenBrowser;
  openPortalWindow: OpenPortalWindow;
  log: Logger;
}
