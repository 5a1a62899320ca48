import type { Logger } from 'pino';
import { ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { openHelperConnection } from './helper-connection.ts';
import { connectDirectly, type ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';

/**
 * While the helper waits for a session, it blocks everything, so no program of the user can reach the gateway. The
 * helper then carries the encrypted bytes of the sign-in, which it cannot read.
 */
export function connectPastBlock(options: {
  state: () => TunnelState;
  socketPath: string;
  /** The app's version. */
  version: string;
  log: Logger;
}): ConnectToGateway {
  return async (gateway, address, port) => {
    const state = options.state();
    const isSigningIn = state.state === 'connecting' && state.phase === 'authenticating';
    const isSame = isSigningIn && state.gateway.host === gateway.host && state.gateway.port === gateway.port;
    if (!isSame) return await connectDirectly(gateway, address, port);
    const connection = await openHelperConnection({ ...options, onState: () => undefined });
    if (typeof connection === 'string') throw new Error(connection);
    try {
      const takesAddress = connection.capabilities.includes('sign-in-addresses');
      await connection.call('openGatewayStream', takesAddress ? { address } : {});
    } catch (error) {
      connection.close();
      throw asSystemError(error);
    }
    return connection.release();
  };
}

/** What the helper says of a connection that could not be made, as if this process had tried it. */
function asSystemError(error: unknown): unknown {
  if (!(error instanceof ResponseError) || error.code !== helperError.gatewayNotReached) return error;
  const { code } = (error.data ?? {}) as { code?: unknown };
  if (typeof code !== 'string' || !/^E[A-Z0-9]{1,30}$/.test(code)) return error;
  return Object.assign(new Error(`connect ${code} past the block`), { code });
}
