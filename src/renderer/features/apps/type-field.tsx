import { useTranslation } from 'react-i18next';
import { appType, type AppType } from '#shared/entities.ts';
import formClasses from '../../ui/form.module.css';
import classes from './apps.module.css';
import { appTypeTexts } from './app-types.ts';

/** How the app opens. */
export function TypeField({ type, onChange }: { type: AppType; onChange: (type: AppType) => void }) {
  const { t } = useTranslation();
  return (
    <fieldset className={classes.types}>
      <legend className={formClasses.label}>{t('appForm.type')}</legend>
      {appType.options.map((option) => (
        <label key={option} className={classes.type}>
          <input
            type="radio"
            name="app-type"
            className={classes.radio}
            checked={type === option}
            onChange={() => onChange(option)}
          />
          <span className={classes.typeName}>
            {t(appTypeTexts[option].name)}
            <span className={classes.typeText}>{t(appTypeTexts[option].text)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
