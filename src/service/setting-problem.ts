import { z } from 'zod';

/** What keeps the service from starting, and which setting causes it; shown to the operator without a stack. */
export class SettingProblem extends Error {
  override name = 'SettingProblem';
  constructor(setting: string, cause: unknown) {
    super(`${setting}: ${reasons(cause).join(': ')}`, { cause });
  }
}

/** Names the setting if `opening` fails; a function can choose it by the failure. */
export async function forSetting<Opened>(
  setting: string | ((failure: unknown) => string),
  opening: Promise<Opened>,
): Promise<Opened> {
  return opening.catch((cause: unknown) => {
    // The inner problem is more specific.
    if (cause instanceof SettingProblem) throw cause;
    throw new SettingProblem(typeof setting === 'string' ? setting : setting(cause), cause);
  });
}

/** Which of two settings is wrong if nothing can listen. */
export function listeningSetting({
  host,
  port,
}: {
  host: string;
  port: string;
}): (failure: unknown) => string {
  const ofPorts = new Set<unknown>(['EADDRINUSE', 'EACCES']);
  return (failure) =>
    failure instanceof Error && 'code' in failure && ofPorts.has(failure.code) ? port : host;
}

/** One line for each problem, with its place. */
export function issuesOf(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) =>
    [...(path.length > 0 ? [path.join('.')] : []), message].join(': '),
  );
}

function reasons(error: unknown): string[] {
  if (error instanceof z.ZodError) return [issuesOf(error).join('; ')];
  if (!(error instanceof Error)) return [String(error)];
  // A host with several addresses: Node creates an error for each, and no common message.
  const message = error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message;
  return [message, ...(error.cause === undefined ? [] : reasons(error.cause))];
}
