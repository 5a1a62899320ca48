import * as z from 'zod/mini';

/** Installed applications, of which some go through the tunnel, or around it. */

/** Maximum number of applications, and maximum length of an id in characters. */
export const maxRoutedApps = 1000;
export const maxAppIdLength = 255;

/** The id of a desktop file (Desktop Entry Specification): a file name, so it has no slash. */
export const routedAppId = z
  .string()
  .check(z.minLength(1), z.maxLength(maxAppIdLength), z.regex(/^[^/\p{Cc}]+$/u));

/** Whether only these applications go through the tunnel, or all others do. */
export const appChoice = z.object({
  policy: z.enum(['include', 'exclude']),
  ids: z.array(routedAppId).check(z.maxLength(maxRoutedApps)),
});
export type AppChoice = z.infer<typeof appChoice>;

export const routedApp = z.object({
  id: routedAppId,
  /** In the app's language, if the application has a name in that language. */
  name: z.string(),
  /** A data URL, or empty. It must only be used as an image. */
  icon: z.string(),
  /**
   * The sandbox that moves the application into a control group of its own when it starts, so that it can be moved only
   * after that; absent if there is none.
   */
  sandbox: z.optional(z.enum(['flatpak', 'snap'])),
  /** Whether it can be started from here; applications that need a terminal cannot. */
  isStartable: z.boolean(),
});
export type RoutedApp = z.infer<typeof routedApp>;

/** An application that is running. */
export const runningApp = z.object({
  id: routedAppId,
  /**
   * Some of its processes were running before they were moved, and what they opened before may still be routed the
   * other way.
   */
  isPartial: z.boolean(),
});
export type RunningApp = z.infer<typeof runningApp>;

/**
 * The result of starting an application. `not-routed`: traffic is not routed by app, or this one is not chosen;
 * `still-running`: it did not quit when asked; `failed`: it could not be started, or could not be put into its group.
 */
export const startOutcome = z.enum(['started', 'not-routed', 'still-running', 'failed']);
export type StartOutcome = z.infer<typeof startOutcome>;
