/**
 * What the message bus says of a Secret Service that it could not start, in time or at all, or that has not answered:
 * nobody has been asked anything then. What a user has dismissed is no error of the bus.
 */
const isOfBus =
  /org\.freedesktop\.DBus\.Error\.|org\.freedesktop\.secrets|service_start_timeout|Could not activate remote peer/;

/** Of these, what it says of one that may yet come: a login under load has many services to start. */
const isOfTime = /service_start_timeout|DBus\.Error\.(TimedOut|Timeout|NoReply)|Timeout was reached/;

/** Whether a keychain's call has failed because its service is not there, or not yet. */
export const isServiceAbsent = (error: unknown): boolean =>
  error instanceof Error && isOfBus.test(error.message);

/** Whether it was only too slow. */
export const isServiceSlow = (error: unknown): boolean =>
  error instanceof Error && isOfTime.test(error.message);
