import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { RoundIcon } from '../../ui/pictures/round-icon.tsx';
import { Link } from '../../ui/text/link.tsx';

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <CenteredPanel>
      <RoundIcon>
        <IconMapOff />
      </RoundIcon>
      <PageHeading align="center" lead={t('notFound.text')}>
        {t('notFound.title')}
      </PageHeading>
      <Button component={Link} to="/dashboard" size="md">
        {t('notFound.back')}
      </Button>
    </CenteredPanel>
  );
}
