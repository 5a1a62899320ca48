import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type {
  ProgramChoice,
  RoutedProgram,
  RunningProgram,
  StartOutcome,
} from '#shared/host/routed-programs.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { useHost } from '../../../platform/host-context.tsx';
import { IconOrInitial } from '../../../ui/pictures/icon-or-initial.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { ForgetButton } from '../../../ui/buttons/forget-button.tsx';
import { leaveFocusAround } from '../../../ui/focus/leave-focus-around.ts';
import { showError } from '../../../ui/messages/toast.ts';
import { useTunnelView } from '../../tunnel/tunnel-context.tsx';
import { shownState } from '../../tunnel/tunnel-store.ts';
import classes from './programs.module.css';

interface ChosenProgramProps {
  program: RoutedProgram;
  isInstalled: boolean;
  running: RunningProgram | undefined;
  policy: ProgramChoice['policy'];
  onRemove: () => void;
}

const sandboxNames = { flatpak: 'Flatpak', snap: 'Snap' } as const;

/** A program that traffic is routed by: whether it is running, and a button to get all of its traffic there. */
export function ChosenProgram({ program, isInstalled, running, policy, onRemove }: ChosenProgramProps) {
  const { t } = useTranslation();
  const host = useHost();
  const state = shownState(useTunnelView());
  const [busy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const { id, name, icon, sandbox, isStartable } = program;
  const isRouted = state?.state === 'connected' && !state.ownedByOther;
  const isPartial = isRouted && running?.isPartial === true;

  const isInside = policy === 'include';

  async function run(start: () => Promise<StartOutcome>): Promise<void> {
    setBusy(true);
    const outcome = await start().catch(() => 'failed' as const);
    setBusy(false);
    // The closing dialog returns the focus to the button that asked, which may be gone by then.
    flushSync(() => setAsking(false));
    if (document.activeElement === document.body) row.current?.focus();
    if (outcome === 'still-running') showError(t('routing.appStillRunning', { name }));
    else if (outcome !== 'started') showError(t('routing.appStartFailed', { name }));
  }

  const words: TextKey | undefined = !isInstalled
    ? 'routing.appGone'
    : isPartial && !sandbox
      ? 'routing.appPartial'
      : running && isRouted
        ? isInside
          ? 'routing.appInside'
          : 'routing.appOutside'
        : running && 'routing.appRuns';
  return (
    <li ref={row} className={classes.program} tabIndex={-1}>
      <IconOrInitial icon={icon} name={name} size={32} />
      <div className={classes.words}>
        <bdi className={classes.name}>{name}</bdi>
        {words && <span className={classes.detail}>{t(words)}</span>}
        {sandbox && isInstalled && (
          <span className={classes.detail}>{t('routing.appSandboxed', { kind: sandboxNames[sandbox] })}</span>
        )}
      </div>
      <div className={classes.actions}>
        {isRouted && isStartable && !running && (
          <Button
            ref={leaveFocusAround}
            size="sm"
            variant="default"
            loading={busy}
            aria-label={t('routing.appStartNamed', { name })}
            onClick={() => void run(() => host.routedPrograms.start({ id }))}
          >
            {t('routing.appStart')}
          </Button>
        )}
        {isPartial && isStartable && (
          <Button
            ref={leaveFocusAround}
            size="sm"
            variant="default"
            aria-label={t(isInside ? 'routing.appRestartInsideNamed' : 'routing.appRestartNamed', { name })}
            onClick={() => setAsking(true)}
          >
            {t(isInside ? 'routing.appRestartInside' : 'routing.appRestart')}
          </Button>
        )}
        <ForgetButton label={t('networks.removeNamed', { name })} onClick={onRemove} />
      </div>
      {isAsking && (
        <ConfirmDialog
          title={t('routing.appRestartTitle', { name })}
          text={t('routing.appRestartText')}
          confirm={t('routing.appRestart')}
          busy={busy}
          onConfirm={() => void run(() => host.routedPrograms.restart({ id }))}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
