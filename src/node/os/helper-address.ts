/** Where the helper listens on each system, unless its command line says otherwise. */
export const helperAddresses = {
  linux: '/run/waymaker/helper.sock',
  /** macOS has no /run. */
  darwin: '/var/run/waymaker/helper.sock',
  /**
   * Only administrators can create pipes under this prefix, so nobody can wait there for the helper's callers while it
   * is not running.
   */
  win32: String.raw`\\.\pipe\ProtectedPrefix\Administrators\Waymaker\helper`,
} as const;

const places: Partial<Record<NodeJS.Platform, string>> = helperAddresses;

export const helperAddress = (platform: NodeJS.Platform): string => places[platform] ?? helperAddresses.linux;
