import { useTranslation } from 'react-i18next';
import { CenteredPanel } from './centered-panel.tsx';
import { PageHeading } from './page-heading.tsx';
import { PlainButton } from '../buttons/plain-button.tsx';

/** Shown instead of a page that threw an error. */
export function CrashPage() {
  const { t } = useTranslation();
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={t('crash.text')}>
        {t('crash.title')}
      </PageHeading>
      <PlainButton onClick={() => location.reload()}>{t('crash.reload')}</PlainButton>
    </CenteredPanel>
  );
}
