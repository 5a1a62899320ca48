import { useTranslation } from 'react-i18next';
import { deleteStepNames, deleteSteps } from './delete-steps.ts';
import classes from './self-delete.module.css';

/** The progress of the deletion; `position` counts from 0. */
export function StepIndicator({ position }: { position: number }) {
  const { t } = useTranslation();
  return (
    <ol role="list" className={classes.steps} aria-label={t('selfDelete.progress')}>
      {deleteSteps.map((step, index) => (
        <li
          key={step}
          className={classes.step}
          data-reached={index <= position || undefined}
          aria-current={index === position ? 'step' : undefined}
        >
          {t(deleteStepNames[step])}
        </li>
      ))}
    </ol>
  );
}
