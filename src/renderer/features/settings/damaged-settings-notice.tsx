import { useTranslation } from 'react-i18next';
import { focusHeading } from '../../ui/focus/focus-heading.ts';
import { Message } from '../../ui/messages/message.tsx';
import { usePreferences } from '../preferences/use-preferences.ts';

/** Says that the app's settings were damaged and what became of them, until the user dismisses it. */
export function DamagedSettingsNotice() {
  const { t } = useTranslation();
  const { preferences, change } = usePreferences();
  const damage = preferences?.settingsDamage;
  if (!damage) return null;
  return (
    <Message
      tone="warn"
      title={t('damage.title')}
      onClose={() => {
        void change({ settingsDamage: null });
        focusHeading();
      }}
    >
      {t(`damage.${damage}`)}
    </Message>
  );
}
