import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { errorText } from '../../api/api-failure.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useHost } from '../../platform/host-context.tsx';
import { CenteredPanel } from '../../ui/centered-panel.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { showError, showSuccess } from '../../ui/toast.ts';
import { DeleteStep } from './delete-step.tsx';
import { deleteSteps, type DeleteStepName } from './delete-steps.ts';
import { StepIndicator } from './step-indicator.tsx';

/** Deletes the account, in three steps (specification §4). */
export function SelfDeletePage() {
  const { t } = useTranslation();
  const host = useHost();
  const navigate = useNavigate();
  const remove = useApiMutation('deleteSelf');
  const [step, setStep] = useState<DeleteStepName>('confirm');
  const heading = useRef<HTMLHeadingElement>(null);

  // The step's heading is read next, and no second press of the same key confirms the next step.
  const goTo = (other: DeleteStepName) => {
    flushSync(() => setStep(other));
    heading.current?.focus();
  };
  const position = deleteSteps.indexOf(step);
  const previous = deleteSteps[position - 1];
  const next = deleteSteps[position + 1];

  const signOut = async () => {
    showSuccess(t('selfDelete.success'));
    // The account is gone; a session that cannot be forgotten is refused by the service from now on.
    await host.session.signOut({ by: 'user' }).catch(() => undefined);
    // Without a state: whoever signs in next does not want to come back here.
    void navigate('/login', { replace: true });
  };
  const submit = () => {
    if (remove.isPending) return;
    remove.mutate(
      {},
      {
        onSuccess: () => void signOut(),
        onError: (error) => showError(errorText(error, t, 'selfDelete.failed')),
      },
    );
  };
  return (
    <CenteredPanel>
      <PageHeading align="center">{t('selfDelete.title')}</PageHeading>
      <StepIndicator position={position} />
      <DeleteStep step={step} headingRef={heading} />
      {next ? (
        <Button size="md" color="red" variant="default" onClick={() => goTo(next)}>
          {t('selfDelete.continue')}
        </Button>
      ) : (
        <Button
          size="md"
          color="red"
          loading={remove.isPending}
          // The second click of a double one was meant for the step before.
          onClick={({ detail: clicks }) => {
            if (clicks < 2) submit();
          }}
        >
          {t('selfDelete.submit')}
        </Button>
      )}
      {previous && (
        <Button size="md" variant="default" disabled={remove.isPending} onClick={() => goTo(previous)}>
          {t('selfDelete.back')}
        </Button>
      )}
      <Button component={Link} to="/dashboard" size="md" variant="subtle">
        {t('selfDelete.keep')}
      </Button>
    </CenteredPanel>
  );
}
