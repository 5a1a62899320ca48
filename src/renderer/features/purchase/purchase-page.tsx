import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { CenteredPanel } from '../../ui/centered-panel.tsx';
import { LoadFailure } from '../../ui/load-failure.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';

/** Sends the browser to the purchase page; an app has the system's browser open it. */
export function PurchasePage() {
  const { t } = useTranslation();
  const host = useHost();
  const { kind } = useApp();
  const { data: info, error, refetch } = useApi('basicInfo');
  const url = info && isWebAddress(info.links.purchase_url) ? info.links.purchase_url : undefined;

  useEffect(() => {
    if (url === undefined) return;
    if (kind === 'web') location.replace(url);
    else void host.app.openExternal(url);
  }, [host, kind, url]);

  return (
    <CenteredPanel>
      <PageHeading align="center" lead={error ? undefined : t('purchase.opening')}>
        {t('purchase.title')}
      </PageHeading>
      {error && !info && <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />}
      {url !== undefined && (
        <Button size="md" onClick={() => void host.app.openExternal(url)}>
          {t('purchase.open')}
        </Button>
      )}
    </CenteredPanel>
  );
}

/** An address taken from the service must not be one that runs something in this page. */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol);
}
