import { existsSync } from 'node:fs';
import { createRunProgram, type RunProgram } from '../../run-program.ts';

/** What launchd knows the helper by (resources/macos/installer). */
export const helperService = 'system/example.waymaker.helper';
const helperPropertyList = '/Library/LaunchDaemons/example.waymaker.helper.plist';

/** What launchctl(1) ends with for a service that launchd does not have, as others report it of macOS 13 to 26. */
const notFound = 113;

/**
 * Whether the helper is installed, but launchd has not loaded it. By what others report, its item in Login Items &
 * Extensions then waits for approval or is switched off. Only the framework ServiceManagement tells those two apart,
 * and from a helper that an administrator has unloaded; to root alone, sfltool(1) does. False where launchd cannot be
 * asked.
 */
export async function isWaitingForApproval(
  run: RunProgram,
  propertyList: string = helperPropertyList,
): Promise<boolean> {
  if (!existsSync(propertyList)) return false;
  try {
    await run('launchctl', ['print', helperService]);
    return false;
  } catch (error) {
    return statusOf(error) === notFound;
  }
}

/** What a program ended with that failed; undefined if it was killed. */
function statusOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

const askLaunchd = createRunProgram();
export const isHelperWaiting = (): Promise<boolean> => isWaitingForApproval(askLaunchd);
