import { ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import type { MoveProcess } from '../programs/program-group.ts';
import type { HelperClient } from './helper-client.ts';

/** Asks the helper to move programs into the group that it routes by, or out of it. */
export function createMoveProcess(helper: Pick<HelperClient, 'call'>): MoveProcess {
  return async (pid, into) => {
    try {
      return await helper.call('moveProcess', { pid, into });
    } catch (error) {
      if (error instanceof ResponseError && error.code === helperError.noSuchProcess) return 'gone';
      throw error;
    }
  };
}
