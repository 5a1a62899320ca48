import { Button } from '@mantine/core';
import type { UpdateState, UpdateView } from '#shared/host/updates-contract.ts';
import { formatBytes } from '../../i18n/format.ts';
import { leaveFocusAround } from '../../ui/focus/leave-focus-around.ts';
import { Meter } from '../../ui/pictures/meter.tsx';
import { problemTexts } from './update-words.ts';
import classes from './update-status.module.css';
import { updatesClient } from './updates-client.ts';
import { useReadiness } from './use-readiness.ts';
import { useUpdateTexts } from './use-update-texts.ts';
import { useUpdates } from './use-updates.ts';

/** Whether there is a newer version, how far it is, and what the user can do; nothing where the app has no updates. */
export function UpdateStatus() {
  const say = useUpdateTexts();
  const view = useUpdates();
  if (!view) return null;
  const { state, failedVersion } = view;
  return (
    <section className={classes.status} aria-label={say('update.title')} tabIndex={-1}>
      {/* It always exists: a region that appears with its text may not be read. */}
      <div aria-live="polite" className={classes.said}>
        <StateText view={view} />
        {state.kind !== 'installing' && state.kind !== 'ready' && <FailedBefore version={failedVersion} />}
      </div>
      {state.kind === 'downloading' && <Progress state={state} />}
      <Action view={view} />
    </section>
  );
}

function FailedBefore({ version }: { version: string | null }) {
  const say = useUpdateTexts();
  return version !== null && <p className={classes.note}>{say('update.failedBefore', { version })}</p>;
}

function StateText({ view }: { view: UpdateView }) {
  const say = useUpdateTexts();
  const { state, reopens } = view;
  switch (state.kind) {
    case 'unknown':
      return null;
    case 'checking':
    case 'current':
      return <p className={classes.note}>{say(`update.${state.kind}`)}</p>;
    case 'later':
      return <p className={classes.text}>{say('update.later', { version: state.version })}</p>;
    case 'metered':
      return (
        <p className={classes.text}>
          {say('update.metered', { version: state.version, size: unbroken(formatBytes(state.size)) })}
        </p>
      );
    case 'downloading':
      // Said once; the bar says how far it is.
      return <p className={classes.hidden}>{say('update.downloading', { version: state.version })}</p>;
    case 'ready':
      return <ReadyText view={view} state={state} />;
    case 'installing':
      return (
        <p className={classes.text}>
          {say(reopens ? 'update.installingAndReopens' : 'update.installing', { version: state.version })}
        </p>
      );
    case 'installed':
      return (
        <>
          <p className={classes.title}>{say('update.installed', { version: state.version })}</p>
          <p className={classes.text}>{say('update.installedText')}</p>
        </>
      );
    case 'failed':
      return <p className={classes.text}>{say(problemTexts[state.problem])}</p>;
    default:
      return state satisfies never;
  }
}

/** A number stays on the line of its unit. */
const unbroken = (text: string) => text.replaceAll(' ', '\u00a0');

interface ReadyProps {
  view: UpdateView;
  state: UpdateState & { kind: 'ready' };
}

function ReadyText({ view, state }: ReadyProps) {
  const say = useUpdateTexts();
  const { text } = useReadiness(view, state);
  return (
    <>
      <p className={classes.title}>{say('update.ready', { version: state.version })}</p>
      <p className={classes.text}>{say(text)}</p>
      {text !== 'update.readyAgain' && <FailedBefore version={view.failedVersion} />}
    </>
  );
}

function InstallButton({ view, state }: ReadyProps) {
  const say = useUpdateTexts();
  const { canInstall } = useReadiness(view, state);
  return (
    <Button
      ref={leaveFocusAround}
      className={classes.button}
      disabled={!canInstall}
      onClick={() => void updatesClient()?.install()}
    >
      {say(view.reopens ? 'update.installAndReopen' : 'update.install')}
    </Button>
  );
}

function Progress({ state }: { state: UpdateState & { kind: 'downloading' } }) {
  const say = useUpdateTexts();
  const { version, received, size } = state;
  return (
    <Meter
      label={say('update.downloading', { version })}
      used={received}
      total={size}
      text={say('update.progress', { received: formatBytes(received), size: formatBytes(size) })}
    />
  );
}

function Action({ view }: { view: UpdateView }) {
  const { state } = view;
  const say = useUpdateTexts();
  const updates = updatesClient();
  if (state.kind === 'downloading' || state.kind === 'installing') return null;
  if (state.kind === 'ready') return <InstallButton view={view} state={state} />;
  if (state.kind === 'installed')
    return (
      <Button className={classes.button} onClick={() => void updates?.install()}>
        {say('update.restart')}
      </Button>
    );
  if (state.kind === 'later' || state.kind === 'metered')
    return (
      <Button
        ref={leaveFocusAround}
        className={classes.button}
        variant="default"
        onClick={() => void updates?.download()}
      >
        {say('update.download')}
      </Button>
    );
  return (
    <Button
      ref={leaveFocusAround}
      className={classes.button}
      variant="default"
      loading={state.kind === 'checking'}
      onClick={() => void updates?.check()}
    >
      {say('update.check')}
    </Button>
  );
}
