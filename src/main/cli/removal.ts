import pino from 'pino';
import { controlPlace } from '../control/control-place.ts';
import { takeCoreFromDaemon } from '../control/take-core.ts';
import { hasProfile, putBackProxies } from '../system-proxy/put-back-proxies.ts';
import { exitCode, type ExitCode } from './exit-code.ts';

/** The argument with which the packages' scripts run this as each user, before the programs go; nobody types it. */
export const removalWord = 'put-back-proxies';

/**
 * Puts back what this user's proxy settings were before they pointed at a proxy that will be gone. The app may have been
 * ended before it could, or keeps them for the kill switch, or nobody is logged in.
 */
export async function putBackForRemoval(options: {
  profile: string | undefined;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  version: string;
}): Promise<ExitCode> {
  const { profile, env, platform, version } = options;
  if (profile === undefined || !hasProfile(profile)) return exitCode.done;
  const log = pino({ level: 'silent' });
  try {
    const place = controlPlace(profile, { env, platform });
    const lock = await takeCoreFromDaemon({ place, platform, version, log });
    try {
      return (await putBackProxies({ profile, env, platform, log })) ? exitCode.done : exitCode.failed;
    } finally {
      lock.release();
    }
  } catch {
    return exitCode.failed;
  }
}
