import { createApiClient, type ApiClientOptions } from './client.ts';
import type { User } from '../entities.ts';
import type { ApiResult } from './result.ts';

/** Asks the service whose token this is, before a host accepts it. */
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
