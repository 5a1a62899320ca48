/**
 * Has this process look in which time zone the computer is now. Node, and with it Electron's main process, looks once
 * when it starts, so that after a journey it would tell times of where the journey began (electron/electron 33723).
 * Whoever sets `TZ`, or takes it out of the environment, makes Node look again, even if nothing changes by that.
 */
export function readTimeZoneAgain(): void {
  const { TZ } = process.env;
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
}
