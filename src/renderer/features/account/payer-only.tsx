import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TextKey } from '#shared/texts/texts.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { RoundIcon } from '../../ui/pictures/round-icon.tsx';
import { Link } from '../../ui/text/link.tsx';

/** Tells a child member why a page is not for them. */
export function PayerOnly({ text }: { text: TextKey }) {
  const { t } = useTranslation();
  return (
    <CenteredPanel>
      <RoundIcon>
        <IconLock />
      </RoundIcon>
      <PageHeading align="center" lead={t(text)}>
        {t('manage.childTitle')}
      </PageHeading>
      <Button component={Link} to="/dashboard" variant="default" size="md">
        {t('manage.childBack')}
      </Button>
    </CenteredPanel>
  );
}
