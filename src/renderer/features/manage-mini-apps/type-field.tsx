import { useTranslation } from 'react-i18next';
import { miniAppType, type MiniAppType } from '#shared/entities.ts';
import { Choice } from '../../ui/forms/choice.tsx';
import formClasses from '../../ui/forms/form.module.css';
import classes from './mini-app-form.module.css';
import { miniAppTypeTexts } from './mini-app-types.ts';

/** How the mini-app opens. */
export function TypeField({ type, onChange }: { type: MiniAppType; onChange: (type: MiniAppType) => void }) {
  const { t } = useTranslation();
  return (
    <fieldset className={classes.types}>
      <legend className={formClasses.label}>{t('appForm.type')}</legend>
      {miniAppType.options.map((option) => (
        <Choice
          key={option}
          name="mini-app-type"
          checked={type === option}
          onChoose={() => onChange(option)}
          title={t(miniAppTypeTexts[option].name)}
          text={t(miniAppTypeTexts[option].text)}
        />
      ))}
    </fieldset>
  );
}
