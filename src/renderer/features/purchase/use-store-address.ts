import type { BasicInfo } from '#shared/entities.ts';
import { callApi } from '../../api/call-api.ts';
import { useLanguage } from '../../i18n/language-context.tsx';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { isOwnStore, purchaseAddress } from './purchase-address.ts';

/**
 * Creates the address at which the signed-in user buys, a new one for each use: an app's address works once, in a
 * browser where nobody is signed in. Without a hand-over, as when there are too many, the store asks who is buying.
 * Undefined if it must not be opened.
 */
export function useStoreAddress(): (
  links: BasicInfo['links'],
  page: 'purchase_url' | 'change_service_url',
  email: string,
) => Promise<string | undefined> {
  const host = useHost();
  const { kind } = useApp();
  const language = useLanguage();
  return async (links, page, email) => {
    const address = links[page];
    if (!isOwnStore(links, address)) return purchaseAddress(address, { email });
    if (kind === 'web') return purchaseAddress(address, {});
    const given = await callApi(host, 'createHandOver', {}, language).catch(() => undefined);
    return purchaseAddress(address, { email, handOver: given?.code });
  };
}
