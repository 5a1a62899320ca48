import { z } from 'zod';

/** What keeps the service from starting, and by which of its settings: for whoever starts it, without a stack. */
export class SettingProblem extends Error {
  override name = 'SettingProblem';
  constructor(setting: string, cause: unknown) {
    super(`${setting}: ${reasons(cause).join(': ')}`, { cause });
  }
}

/** Names the setting where `opening` fails; a function, where the failure says which it is. */
export async function forSetting<Opened>(
  setting: string | ((failure: unknown) => string),
  opening: Promise<Opened>,
): Promise<Opened> {
  return opening.catch((cause: unknown) => {
    // What is inside knew it better.
    if (cause instanceof SettingProblem) throw cause;
    throw new SettingProblem(typeof setting === 'string' ? setting : setting(cause), cause);
  });
}

/** Which of two settings is wrong where nothing can listen. */
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

/** One line for each thing that is wrong, with where it is. */
export function issuesOf(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) =>
    [...(path.length > 0 ? [path.join('.')] : []), message].join(': '),
  );
}

function reasons(error: unknown): string[] {
  if (error instanceof z.ZodError) return [issuesOf(error).join('; ')];
  if (!(error instanceof Error)) return [String(error)];
  // A host with several addresses: node gives each its own error, and no message.
  const message = error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message;
  return [message, ...(error.cause === undefined ? [] : reasons(error.cause))];
}
