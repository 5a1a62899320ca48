/** How a downloaded version takes the place of the one that runs. */
export interface UpdateInstaller {
  /** Whether it replaces the helper, too, so that there is no tunnel meanwhile. */
  endsTunnel: boolean;
  /** Whether it can see to it that the app is open again afterwards. */
  reopens: boolean;
  /**
   * Starts it; this program has to end then. With `opensAgain`, the app is to be open again afterwards, if `reopens`. False if it was not
   * started, for example because nobody allowed it.
   */
  start(file: string, options: { opensAgain: boolean }): Promise<boolean>;
  /** The program that this one has to start in its place, where the installer does not. */
  next?: string;
}
