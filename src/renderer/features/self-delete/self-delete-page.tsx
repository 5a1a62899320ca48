import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { errorText } from '../../api/api-failure.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useHost } from '../../platform/host-context.tsx';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { showError, showSuccess } from '../../ui/messages/toast.ts';
import { DeleteStep } from './delete-step.tsx';
import { deleteSteps, type DeleteStepName } from './delete-steps.ts';
import { usePause } from './use-pause.ts';
import { StepButton } from './step-button.tsx';
import { StepIndicator } from './step-indicator.tsx';
import { Link } from '../../ui/text/link.tsx';

/** Deletes the account, in three steps (specification §4). */
export function SelfDeletePage() {
  const { t } = useTranslation();
  const host = useHost();
  const navigate = useNavigate();
  const remove = useApiMutation('deleteSelf');
  const [step, setStep] = useState<DeleteStepName>('confirm');
  const heading = useRef<HTMLHeadingElement>(null);

  // A click on a button that cannot be clicked gives the focus to the element around it.
  const { paused, pause } = usePause(() => {
    if (document.activeElement?.contains(heading.current)) heading.current?.focus();
  });

  // The step's heading is read next, and a second press of the same key does not confirm the next step.
  const goTo = (other: DeleteStepName, byPointer: boolean) => {
    if (byPointer) pause();
    flushSync(() => setStep(other));
    heading.current?.focus();
  };
  const position = deleteSteps.indexOf(step);
  const previous = deleteSteps[position - 1];
  const next = deleteSteps[position + 1];

  const signOut = async () => {
    showSuccess(t('selfDelete.success'));
    // The account is gone; the service refuses a session that could not be deleted here.
    await host.session.signOut({ by: 'user' }).catch(() => undefined);
    // Without a state: the next user who signs in does not want to come back here.
    void navigate('/login', { replace: true });
  };
  const submit = async () => {
    if (remove.isPending) return;
    try {
      // Not callbacks of the call, which a page that the user has left no longer gets.
      await remove.mutateAsync({});
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      return showError(errorText(failure, t, 'selfDelete.failed'));
    }
    await signOut();
  };
  return (
    <CenteredPanel>
      <PageHeading align="center">{t('selfDelete.title')}</PageHeading>
      <StepIndicator position={position} />
      <DeleteStep step={step} headingRef={heading} />
      {next ? (
        <StepButton
          color="red"
          variant="default"
          disabled={paused}
          onPress={(byPointer) => goTo(next, byPointer)}
        >
          {t('selfDelete.continue')}
        </StepButton>
      ) : (
        <StepButton color="red" disabled={paused} loading={remove.isPending} onPress={() => void submit()}>
          {t('selfDelete.submit')}
        </StepButton>
      )}
      {previous && (
        <StepButton
          variant="default"
          disabled={paused || remove.isPending}
          onPress={(byPointer) => goTo(previous, byPointer)}
        >
          {t('selfDelete.back')}
        </StepButton>
      )}
      <Button component={Link} to="/dashboard" size="md" variant="subtle">
        {t('selfDelete.keep')}
      </Button>
    </CenteredPanel>
  );
}
