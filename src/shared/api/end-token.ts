import { createApiClient, type ApiClientOptions, type ApiSession } from './client.ts';

/** How long a sign-out waits for the service, in milliseconds: it has to be possible without a network. */
export const endTokenMs = 3000;

/** Ends a token at the service, for a device that signs out; the device is no longer in the account's list. */
export async function endToken(
  options: Pick<ApiClientOptions, 'baseUrl' | 'fetch' | 'deviceName'>,
  session: ApiSession,
): Promise<void> {
  if (session.token === undefined) return;
  const client = createApiClient({
    ...options,
    session: () => session,
    endSession: () => Promise.resolve(),
  });
  await client.call('revokeDevice', { params: { deviceId: session.deviceId } });
}
