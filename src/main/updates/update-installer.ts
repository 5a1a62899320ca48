import type { UpdateHeld } from '#shared/host/updates-contract.ts';

/** How a downloaded version takes the place of the one that runs. */
export interface UpdateInstaller {
  /** Whether it replaces the helper, too, so that there is no tunnel meanwhile. */
  endsTunnel: boolean;
  /** Whether it can see to it that the app is open again afterwards. */
  reopens: boolean;
  /** Starts it; this program has to end then. Does not reject. */
  start(file: string, options: InstallerStart): Promise<InstallerOutcome>;
  /** Whether an installer runs, as far as that can be seen. Does not reject. */
  isRunning(): Promise<boolean>;
  /** The program that this one has to start in its place, where the installer does not. */
  next?: string;
}

export interface InstallerStart {
  /** The app is to be open again afterwards, if `reopens`. */
  opensAgain: boolean;
  /** Called when it runs, before it can end this program. */
  onBegun: () => void;
}

/** `started`, or why it was not, or has ended before it did anything. */
export type InstallerOutcome = 'started' | Exclude<UpdateHeld, 'would-open' | 'would-open-other'>;
