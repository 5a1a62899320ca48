import { Button } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useOutsideAddress } from '../../api/use-service-link.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { ExternalLink } from '../../ui/text/external-link.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { RoundIcon } from '../../ui/pictures/round-icon.tsx';
import type { ManageLink, Section } from '../../ui/pages/sections.ts';
import { Link } from '../../ui/text/link.tsx';

/** What the web console shows instead of pages that only the desktop app has (specification §2). */
export function DesktopOnlyPage({ section }: { section: Section }) {
  const { t } = useTranslation();
  const { link } = section;
  return (
    <CenteredPanel>
      <RoundIcon>
        <IconDeviceDesktop />
      </RoundIcon>
      <PageHeading align="center" lead={t('notice.text', { section: t(section.title) })}>
        {t('notice.title')}
      </PageHeading>
      {link ? <ManageElsewhere section={{ ...section, link }} /> : <Download />}
      <Button component={Link} to="/dashboard" variant="subtle" size="md">
        {t('notice.back')}
      </Button>
    </CenteredPanel>
  );
}

/** For operators who have their own place for managing this. */
function ManageElsewhere({ section: { link, path, title } }: { section: Section & { link: ManageLink } }) {
  const { t } = useTranslation();
  const address = useOutsideAddress(link, path);
  if (address === undefined) return <Download />;
  return (
    <>
      <Button component={ExternalLink} href={address} size="md" style={{ gridAutoFlow: 'column' }}>
        {t('notice.elsewhere', { section: t(title) })}
      </Button>
      <Download variant="default" />
    </>
  );
}

/** The link to what the notice asks for. */
function Download({ variant = 'filled' }: { variant?: 'filled' | 'default' }) {
  const { t } = useTranslation();
  return (
    <Button component={Link} to="/dashboard#download" size="md" variant={variant}>
      {t('download.title')}
    </Button>
  );
}
