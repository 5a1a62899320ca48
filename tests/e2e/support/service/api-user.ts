import { randomUUID } from 'node:crypto';
import { createApiClient, type ApiClient } from '../../../../src/shared/api/client.ts';
import type { ApiResult } from '../../../../src/shared/api/result.ts';
import type { TestService } from './service.ts';

/** Somebody signed in on another device, without pages. */
export interface ApiUser extends ApiClient {
  readonly deviceName: string;
  readonly deviceId: string;
  readonly token: string;
}

/** Signs in over the service's API, with the code from the mailbox. */
export async function signInByApi(
  service: Pick<TestService, 'consoleUrl' | 'mailbox'>,
  email: string,
  deviceName = 'Another computer',
): Promise<ApiUser> {
  let token: string | undefined;
  const deviceId = randomUUID();
  const client = createApiClient({
    baseUrl: service.consoleUrl,
    fetch: (url, request) => fetch(url, request),
    deviceName,
    session: () => ({ deviceId, token }),
    endSession: async () => undefined,
  });
  const codesBefore = await service.mailbox.countCodes(email);
  const { authId } = must(await client.call('getAuthCode', { body: { email } }));
  const authCode = await service.mailbox.code(email, codesBefore);
  ({ token } = must(await client.call('auth', { body: { authId, authCode, isDevice: true } })));
  return { deviceName, deviceId, token, call: (name, input) => client.call(name, input) };
}

/** The data of a call that a test needs to succeed. */
export function must<Data>(result: ApiResult<Data>): Data {
  if (!result.ok) throw new Error(`the service refused: ${JSON.stringify(result.failure)}`);
  return result.data;
}
