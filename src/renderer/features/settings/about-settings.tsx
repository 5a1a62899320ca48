import { useTranslation } from 'react-i18next';
import { useApp } from '../../platform/host-context.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { LinkList } from '../../ui/link-list.tsx';

/** What this is, whose work is in it, and where to turn when it does not work. */
export function AboutSettings() {
  const { t } = useTranslation();
  const { kind, device } = useApp();
  return (
    <Card title={t('settings.about')}>
      <Facts facts={[{ name: t('settings.version'), value: device.version }]} />
      <LinkList
        links={[
          { path: '/settings/licences', title: 'settings.licences' },
          { path: '/about-us', title: 'about.title' },
          ...(kind === 'desktop'
            ? ([
                { path: '/settings/connection-log', title: 'connectionLog.title' },
                { path: '/settings/problem-report', title: 'report.title' },
              ] as const)
            : []),
        ]}
      />
    </Card>
  );
}
