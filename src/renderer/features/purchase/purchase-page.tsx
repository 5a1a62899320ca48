import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { useUser } from '../session/use-user.ts';
import { LeavingPanel } from './leaving-panel.tsx';
import { useStoreAddress } from './use-store-address.ts';

const texts = {
  title: 'purchase.title',
  opening: 'purchase.opening',
  outside: 'purchase.outside',
  open: 'purchase.open',
} as const;

/** Sends the browser to the external purchase page, for the signed-in user (specification §2). */
export function PurchasePage() {
  const { t } = useTranslation();
  const { data: info, error, refetch } = useApi('basicInfo');
  const { data: user } = useUser();
  const storeAddress = useStoreAddress();
  return (
    <LeavingPanel
      texts={texts}
      target={info && user && (() => storeAddress(info.links, 'purchase_url', user.email))}
      failure={error && !info ? errorText(error, t) : undefined}
      onRetry={() => void refetch()}
    />
  );
}
