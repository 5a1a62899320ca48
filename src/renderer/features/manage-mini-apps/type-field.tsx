import { useTranslation } from 'react-i18next';
import { appType, type AppType } from '#shared/entities.ts';
import { Choice } from '../../ui/forms/choice.tsx';
import formClasses from '../../ui/forms/form.module.css';
import classes from './mini-app-form.module.css';
import { appTypeTexts } from './mini-app-types.ts';

/** How the app opens. */
export function TypeField({ type, onChange }: { type: AppType; onChange: (type: AppType) => void }) {
  const { t } = useTranslation();
  return (
    <fieldset className={classes.types}>
      <legend className={formClasses.label}>{t('appForm.type')}</legend>
      {appType.options.map((option) => (
        <Choice
          key={option}
          name="app-type"
          checked={type === option}
          onChoose={() => onChange(option)}
          title={t(appTypeTexts[option].name)}
          text={t(appTypeTexts[option].text)}
        />
      ))}
    </fieldset>
  );
}
