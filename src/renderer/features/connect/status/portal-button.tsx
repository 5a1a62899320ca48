import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { usePortalSignIn } from './use-portal-sign-in.ts';

/** In a message: a sign-in page of the network may be what is wrong. */
export function PortalButton() {
  const { t } = useTranslation();
  const { isLooking, open } = usePortalSignIn();
  return (
    <Button
      variant="default"
      size="sm"
      data-disabled={isLooking || undefined}
      aria-disabled={isLooking || undefined}
      onClick={open}
    >
      {t('connect.passPortal')}
    </Button>
  );
}
