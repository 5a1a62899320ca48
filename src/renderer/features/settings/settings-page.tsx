import { useTranslation } from 'react-i18next';
import { useApp } from '../../platform/host-context.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { AboutSettings } from './about-settings.tsx';
import { ConnectionSettings } from './connection-settings.tsx';
import { DamagedSettingsNotice } from './damaged-settings-notice.tsx';
import { GeneralSettings } from './general-settings.tsx';
import { ProtectionSettings } from './protection-settings.tsx';
import { RoutingSettings } from './routing/routing-settings.tsx';

/** All settings. What an app does not support is not shown. */
export function SettingsPage() {
  const { t } = useTranslation();
  const { kind, hasTunnel } = useApp();
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account', besideTabs: 'hidden' }}>
        <PageHeading>{t('settings.title')}</PageHeading>
      </PageTop>
      <DamagedSettingsNotice />
      <GeneralSettings />
      {kind === 'desktop' && <ConnectionSettings />}
      {kind === 'desktop' && <ProtectionSettings />}
      {hasTunnel && <RoutingSettings />}
      <AboutSettings />
    </>
  );
}
