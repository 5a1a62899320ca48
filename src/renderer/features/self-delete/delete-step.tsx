import type { ReactNode, Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { EmailText } from '../../ui/text/email-text.tsx';
import { useUser } from '../session/use-user.ts';
import type { DeleteStepName } from './delete-steps.ts';
import classes from './self-delete.module.css';

interface DeleteStepProps {
  step: DeleteStepName;
  headingRef: Ref<HTMLHeadingElement>;
}

/** The text of a step. */
export function DeleteStep({ step, headingRef }: DeleteStepProps) {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const section = (title: string, body: ReactNode) => (
    <section className={classes.section}>
      <h2 ref={headingRef} tabIndex={-1} className={classes.title}>
        {title}
      </h2>
      {body}
    </section>
  );
  switch (step) {
    case 'confirm':
      return section(
        t('selfDelete.confirmTitle'),
        <>
          {user && (
            <p className={classes.email}>
              <EmailText email={user.email} />
            </p>
          )}
          <p className={classes.text}>{t('selfDelete.confirmText')}</p>
        </>,
      );
    case 'warn':
      return section(
        t('selfDelete.warnTitle'),
        <ul className={classes.losses}>
          <li>{t('selfDelete.warnPlan')}</li>
          <li>{t('selfDelete.warnOrders')}</li>
          <li>{t('selfDelete.warnDevices')}</li>
          <li>{t('selfDelete.warnGroup')}</li>
        </ul>,
      );
    case 'final':
      return section(t('selfDelete.finalTitle'), <p className={classes.text}>{t('selfDelete.finalText')}</p>);
    default:
      return step satisfies never;
  }
}
