import { createApiClient, type ApiClientOptions } from './client.ts';
import type { User } from '../entities.ts';
import type { ApiResult } from './result.ts';

/** Asks the service who a token belongs to, before a host takes it as its own. */
export async function checkToken(
  options: Pick<ApiClientOptions, 'baseUrl' | 'fetch' | 'deviceName'>,
  { deviceId, token, language }: { deviceId: string; token: string; language?: string | undefined },
): Promise<ApiResult<User>> {
  const client = createApiClient({
    ...options,
    session: () => ({ deviceId, token }),
    endSession: () => Promise.resolve(),
  });
  return await client.call('userInfo', language === undefined ? {} : { language });
}
