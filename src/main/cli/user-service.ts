import { systemdUserService } from './linux/user-service.ts';
import type { UserService } from './user-service-port.ts';

/** Undefined on systems that have none, and for another profile than the usual one, which the service does not use. */
export const userService = ({
  env,
  platform,
}: {
  env: Readonly<NodeJS.ProcessEnv>;
  platform: NodeJS.Platform;
}): UserService | undefined =>
  platform === 'linux' && env['WAYMAKER_USER_DATA'] === undefined ? systemdUserService : undefined;
