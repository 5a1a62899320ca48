/** What keeps the service from starting, and by which of its settings: for whoever starts it, without a stack. */
export class SettingProblem extends Error {
  override name = 'SettingProblem';
  constructor(setting: string, cause: unknown) {
    super(`${setting}: ${reasons(cause).join(': ')}`, { cause });
  }
}

/** Names the setting where `opening` fails. */
export async function forSetting<Opened>(setting: string, opening: Promise<Opened>): Promise<Opened> {
  return opening.catch((cause: unknown) => {
    throw new SettingProblem(setting, cause);
  });
}

function reasons(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  // A host with several addresses: node gives each its own error, and no message.
  const message = error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message;
  return [message, ...(error.cause === undefined ? [] : reasons(error.cause))];
}
