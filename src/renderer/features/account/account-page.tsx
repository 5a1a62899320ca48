import { Button, Group } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { InvitationCards } from '../membership/invitation-cards.tsx';
import { MembershipCard } from '../membership/membership-card.tsx';
import { useApp } from '../../platform/host-context.tsx';
import { lazyComponent } from '../../ui/loading/lazy-component.ts';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { ClockNotice } from '../session/clock-notice.tsx';
import { MemorySessionNotice } from '../session/memory-session-notice.tsx';
import classes from './account.module.css';
import { DownloadSection } from './download-section.tsx';
import { ManageCard } from './manage-card.tsx';
import { MoreCard } from './more-card.tsx';
import { PlanCard } from './plan-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { RefreshButton } from '../session/refresh-button.tsx';
import { TrafficCard } from './traffic-card.tsx';
import { Link } from '../../ui/text/link.tsx';

/** The web console has no tunnel, and does not load the words for it. */
const TunnelSummary = lazyComponent(async () => (await import('../tunnel/tunnel-summary.tsx')).TunnelSummary);

export function AccountPage() {
  const { t } = useTranslation();
  const app = useApp();
  return (
    <>
      <div className={classes.top}>
        <PageHeading>{t('account.title')}</PageHeading>
        <Group gap="xs">
          <RefreshButton />
          <Button
            component={Link}
            to="/logout"
            variant="default"
            size="sm"
            leftSection={<IconLogout size={16} aria-hidden />}
          >
            {t('account.signOut')}
          </Button>
        </Group>
      </div>
      <ClockNotice />
      <MemorySessionNotice />
      {app.hasTunnel && (
        <Suspense fallback={<div className={classes.summaryPlace} />}>
          <TunnelSummary />
        </Suspense>
      )}
      <InvitationCards />
      <div className={classes.cards}>
        <ProfileCard />
        <PlanCard />
        <MembershipCard />
        <TrafficCard />
        <ManageCard />
        <MoreCard />
      </div>
      {app.kind === 'web' && <DownloadSection />}
    </>
  );
}
