import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { UserService } from '../user-service-port.ts';

/** Of resources/linux, in the user's own service manager. */
const unit = 'waymaker.service';

const tell = async (what: 'start' | 'stop', options: { timeout?: number } = {}) =>
  await promisify(execFile)('systemctl', ['--user', '--quiet', what, unit], options);

export const systemdUserService: UserService = {
  async start(timeLimitMs) {
    try {
      await tell('start', { timeout: timeLimitMs });
      return true;
    } catch {
      return false;
    }
  },
  async stop() {
    await tell('stop').catch(() => undefined);
  },
};
