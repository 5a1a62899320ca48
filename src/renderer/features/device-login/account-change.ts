import type { Language } from '#shared/entities.ts';
import type { Host } from '#shared/host/contract.ts';
import { ApiCallFailed } from '../../api/api-failure.ts';
import { callApi } from '../../api/call-api.ts';

/** By their addresses. */
export interface AccountChange {
  now: string;
  instead: string;
}

/** Who would be signed out, and for whom; undefined if nobody would. Throws `ApiCallFailed`. */
export async function findAccountChange(
  host: Host,
  device: { deviceId: string; token: string; language: Language },
): Promise<AccountChange | undefined> {
  if (!(await host.session.get()).signedIn) return undefined;
  const owner = await host.session.tokenOwner(device);
  if (!owner.ok) throw new ApiCallFailed(owner.failure);
  const user = await callApi(host, 'userInfo', {}, device.language).catch((error: unknown) => {
    // Their own session has ended.
    if (error instanceof ApiCallFailed && error.failure.kind === 'unauthorized') return undefined;
    throw error;
  });
  if (!user || user.email === owner.data.email) return undefined;
  return { now: user.email, instead: owner.data.email };
}
