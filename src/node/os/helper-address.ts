/** Where the helper listens, unless its command line says otherwise. */
export const helperAddress = {
  socket: '/run/waymaker/helper.sock',
  /** macOS has no /run. */
  macosSocket: '/var/run/waymaker/helper.sock',
  /**
   * Only administrators can create pipes under this prefix, so nobody can wait there for the helper's callers while it
   * is not running.
   */
  pipe: String.raw`\\.\pipe\ProtectedPrefix\Administrators\Waymaker\helper`,
} as const;
