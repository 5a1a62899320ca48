import { Button, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { paymentRedirectSeconds } from '#shared/constants.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { RoundIcon } from '../../ui/pictures/round-icon.tsx';
import { useNow } from '../../ui/time/use-now.ts';
import classes from './payment.module.css';
import { Link } from '../../ui/text/link.tsx';

const target = '/#download';

/** Says thanks, and continues by itself after a while (specification §4). */
export function PaymentSuccess() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const now = useNow(1);
  const [since] = useState(now);
  const left = Math.max(0, Math.ceil(paymentRedirectSeconds - (now - since) / 1000));
  useEffect(() => {
    if (left === 0) void navigate(target, { replace: true });
  }, [left, navigate]);
  return (
    <CenteredPanel>
      <RoundIcon>
        <IconCheck />
      </RoundIcon>
      <PageHeading align="center" lead={t('confirm.thanks')}>
        {t('confirm.success')}
      </PageHeading>
      <Button component={Link} to={target} replace size="md">
        {t('confirm.continue')}
      </Button>
      <p className={classes.countdown}>{t('confirm.countdown', { seconds: left })}</p>
      {/* Announced once, because every second would be noise; and after the region exists, otherwise it may not be
          read. */}
      <VisuallyHidden aria-live="polite">
        {left < paymentRedirectSeconds ? t('confirm.announce', { seconds: paymentRedirectSeconds }) : ''}
      </VisuallyHidden>
    </CenteredPanel>
  );
}
