import * as z from 'zod/mini';

/** Installed applications of which only some go through the tunnel, or around it. */

/** In all, and of an id in characters. */
export const maxRoutedApps = 1000;
export const maxAppIdLength = 255;

/** A desktop file's id (Desktop Entry Specification): a file name, hence without a slash. */
export const routedAppId = z
  .string()
  .check(z.minLength(1), z.maxLength(maxAppIdLength), z.regex(/^[^/\p{Cc}]+$/u));

/** Whether only these applications go through the tunnel, or all others. */
export const appChoice = z.object({
  policy: z.enum(['include', 'exclude']),
  ids: z.array(routedAppId).check(z.maxLength(maxRoutedApps)),
});
export type AppChoice = z.infer<typeof appChoice>;

export const routedApp = z.object({
  id: routedAppId,
  /** In the app's language, where the application has a name in it. */
  name: z.string(),
  /** A data URL, or empty: it is only ever to be shown as a picture. */
  icon: z.string(),
  /** What puts it in a group of its own when it starts, so that it is moved only after that; absent: nothing does. */
  sandbox: z.optional(z.enum(['flatpak', 'snap'])),
  /** Whether it can be started from here; one for a terminal cannot. */
  isStartable: z.boolean(),
});
export type RoutedApp = z.infer<typeof routedApp>;

/** An application that is running. */
export const runningApp = z.object({
  id: routedAppId,
  /** Part of it was running before it was moved: what it had opened by then may still go the other way. */
  isPartial: z.boolean(),
});
export type RunningApp = z.infer<typeof runningApp>;

/**
 * What came of starting an application. `not-routed`: traffic is not routed by applications, or this one is not chosen;
 * `still-running`: it did not end when it was asked to; `failed`: it could not be started, or not put in its group.
 */
export const startOutcome = z.enum(['started', 'not-routed', 'still-running', 'failed']);
export type StartOutcome = z.infer<typeof startOutcome>;
