import { Button } from '@mantine/core';
import type { UpdateState, UpdateView } from '#shared/host/updates-contract.ts';
import { formatBytes } from '../../i18n/format.ts';
import { Meter } from '../../ui/pictures/meter.tsx';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import { heldTexts, problemTexts } from './update-words.ts';
import classes from './update-status.module.css';
import { updatesClient } from './updates-client.ts';
import { useUpdateTexts } from './use-update-texts.ts';
import { useUpdates } from './use-updates.ts';

/** Whether there is a newer version, how far it is, and what the user can do; nothing where the app has no updates. */
export function UpdateStatus() {
  const say = useUpdateTexts();
  const view = useUpdates();
  if (!view) return null;
  const { state, failedVersion } = view;
  return (
    <section className={classes.status} aria-label={say('update.title')}>
      {/* It always exists: a region that appears with its text may not be read. */}
      <div aria-live="polite" className={classes.said}>
        <StateText view={view} />
        {failedVersion !== null && state.kind !== 'installing' && (
          <p className={classes.note}>{say('update.failedBefore', { version: failedVersion })}</p>
        )}
      </div>
      {state.kind === 'downloading' && <Progress state={state} />}
      <Action view={view} />
    </section>
  );
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
      return <ReadyText state={state} endsTunnel={view.endsTunnel} />;
    case 'installing':
      return (
        <p className={classes.text}>
          {say(reopens ? 'update.installingAndReopens' : 'update.installing', { version: state.version })}
        </p>
      );
    case 'failed':
      return <p className={classes.text}>{say(problemTexts[state.problem])}</p>;
    default:
      return state satisfies never;
  }
}

/** A number stays on the line of its unit. */
const unbroken = (text: string) => text.replaceAll(' ', '\u00a0');

function ReadyText({ state, endsTunnel }: { state: UpdateState & { kind: 'ready' }; endsTunnel: boolean }) {
  const say = useUpdateTexts();
  const { truth } = useTunnelView();
  const isConnected = truth?.state === 'connected' || truth?.state === 'connecting';
  return (
    <>
      <p className={classes.title}>{say('update.ready', { version: state.version })}</p>
      <p className={classes.text}>
        {state.held !== null && say(heldTexts[state.held])}
        {state.held === null && say(endsTunnel && isConnected ? 'update.endsTunnel' : 'update.readyText')}
      </p>
    </>
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

function Action({ view: { state, reopens } }: { view: UpdateView }) {
  const say = useUpdateTexts();
  const updates = updatesClient();
  if (state.kind === 'downloading' || state.kind === 'installing') return null;
  if (state.kind === 'ready')
    return (
      <Button className={classes.button} onClick={() => void updates?.install()}>
        {say(reopens ? 'update.installAndReopen' : 'update.install')}
      </Button>
    );
  if (state.kind === 'later' || state.kind === 'metered')
    return (
      <Button className={classes.button} variant="default" onClick={() => void updates?.download()}>
        {say('update.download')}
      </Button>
    );
  return (
    <Button
      className={classes.button}
      variant="default"
      loading={state.kind === 'checking'}
      onClick={() => void updates?.check()}
    >
      {say('update.check')}
    </Button>
  );
}
