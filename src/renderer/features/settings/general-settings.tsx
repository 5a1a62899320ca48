import { useTranslation } from 'react-i18next';
import { languages } from '#shared/entities.ts';
import { languageTags } from '#shared/language.ts';
import { Card } from '../../ui/card.tsx';
import { SelectSetting } from './select-setting.tsx';
import classes from './setting.module.css';
import { SwitchSetting } from './switch-setting.tsx';
import { usePreferences } from '../preferences/use-preferences.ts';

/** Each in its own language, for people who cannot read the others. */
const languageNames = { en: 'English', 'zh-hans': '简体中文', 'zh-hant': '繁體中文' } as const;

/** The app's appearance and language, and how it starts and quits; on the web, only the former. */
export function GeneralSettings() {
  const { t } = useTranslation();
  const { preferences, busy, change } = usePreferences();
  if (!preferences) return null;
  const { language, theme, openAtLogin, notifications, onQuit } = preferences;
  const system = { value: 'system', label: t('settings.system') } as const;
  return (
    <Card title={t('settings.general')}>
      <div className={classes.settings} aria-busy={busy}>
        {language !== undefined && (
          <SelectSetting
            label={t('settings.language')}
            explanation={t('settings.languageText')}
            value={language}
            options={[
              system,
              ...languages.map((value) => ({
                value,
                label: languageNames[value],
                lang: languageTags[value],
              })),
            ]}
            onSelect={(value) => void change({ language: value })}
          />
        )}
        {theme !== undefined && (
          <SelectSetting
            label={t('settings.theme')}
            explanation={t('settings.themeText')}
            value={theme}
            options={[
              system,
              { value: 'light', label: t('settings.themeLight') },
              { value: 'dark', label: t('settings.themeDark') },
            ]}
            onSelect={(value) => void change({ theme: value })}
          />
        )}
        {openAtLogin !== undefined && (
          <SwitchSetting
            label={t('settings.openAtLogin')}
            explanation={t('settings.openAtLoginText')}
            isOn={openAtLogin}
            onSwitch={(isOn) => void change({ openAtLogin: isOn })}
          />
        )}
        {notifications !== undefined && (
          <SwitchSetting
            label={t('settings.notifications')}
            explanation={t('settings.notificationsText')}
            isOn={notifications}
            onSwitch={(isOn) => void change({ notifications: isOn })}
          />
        )}
        {onQuit !== undefined && (
          <SwitchSetting
            label={t('settings.stayConnected')}
            explanation={t('settings.stayConnectedText')}
            isOn={onQuit === 'keep'}
            onSwitch={(isOn) => void change({ onQuit: isOn ? 'keep' : 'disconnect' })}
          />
        )}
      </div>
    </Card>
  );
}
