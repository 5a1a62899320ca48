import { Button } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { TextKey } from '../../i18n/texts.ts';
import { CenteredPanel } from '../../ui/centered-panel.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { RoundIcon } from '../../ui/round-icon.tsx';

/** What the web console shows of everything that the desktop app manages (specification §2). */
export function DesktopOnlyPage({ section }: { section: TextKey }) {
  const { t } = useTranslation();
  return (
    <CenteredPanel>
      <RoundIcon>
        <IconDeviceDesktop />
      </RoundIcon>
      <PageHeading align="center" lead={t('notice.text', { section: t(section) })}>
        {t('notice.title')}
      </PageHeading>
      <Button component={Link} to="/dashboard" variant="default" size="md">
        {t('notice.back')}
      </Button>
    </CenteredPanel>
  );
}
