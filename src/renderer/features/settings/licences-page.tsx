import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/card.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { PageTop } from '../../ui/page-top.tsx';
import classes from './licences.module.css';

/** Written by a tool, and shipped beside the app as well. */
const notices = import.meta.glob<string>('../../../../THIRD-PARTY-NOTICES', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The licences of all parts by others that are in the app. */
export function LicencesPage() {
  const { t } = useTranslation();
  return (
    <>
      <PageTop back={{ to: '/settings', title: 'section.settings' }}>
        <PageHeading lead={t('settings.licencesLead')}>{t('settings.licences')}</PageHeading>
      </PageTop>
      <Card title="THIRD-PARTY-NOTICES">
        <pre className={classes.notices} lang="en">
          {Object.values(notices)}
        </pre>
      </Card>
    </>
  );
}
