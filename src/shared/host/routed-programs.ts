import * as z from 'zod/mini';

/** Installed programs, of which some go through the tunnel, or around it. */

/** Maximum number of programs, and maximum length of an id in characters. */
export const maxRoutedPrograms = 1000;
export const maxProgramIdLength = 255;

/** The id of a desktop file (Desktop Entry Specification): a file name, so it has no slash. */
export const programId = z
  .string()
  .check(z.minLength(1), z.maxLength(maxProgramIdLength), z.regex(/^[^/\p{Cc}]+$/u));

/** Whether only these programs go through the tunnel, or all others do. */
export const programChoice = z.object({
  policy: z.enum(['include', 'exclude']),
  ids: z.array(programId).check(z.maxLength(maxRoutedPrograms)),
});
export type ProgramChoice = z.infer<typeof programChoice>;

export const routedProgram = z.object({
  id: programId,
  /** In the app's language, if the program has a name in that language. */
  name: z.string(),
  /** A data URL, or empty. It must only be used as an image. */
  icon: z.string(),
  /**
   * The sandbox that moves the program into a control group of its own when it starts, so that it can be moved only
   * after that; absent if there is none.
   */
  sandbox: z.optional(z.enum(['flatpak', 'snap'])),
  /** Whether it can be started from here; programs that need a terminal cannot. */
  isStartable: z.boolean(),
});
export type RoutedProgram = z.infer<typeof routedProgram>;

/** A program that is running. */
export const runningProgram = z.object({
  id: programId,
  /**
   * Some of its processes were running before they were moved, and what they opened before may still be routed the
   * other way.
   */
  isPartial: z.boolean(),
});
export type RunningProgram = z.infer<typeof runningProgram>;

/**
 * The result of starting a program. `not-routed`: traffic is not routed by program, or this one is not chosen;
 * `still-running`: it did not quit when asked; `failed`: it could not be started, or could not be put into its group.
 */
export const startOutcome = z.enum(['started', 'not-routed', 'still-running', 'failed']);
export type StartOutcome = z.infer<typeof startOutcome>;
