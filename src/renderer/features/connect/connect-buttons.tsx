import { Button } from '@mantine/core';
import type { RefCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { useHost, useApp } from '../../platform/host-context.tsx';
import { useFocusHandover } from '../../ui/focus/use-focus-handover.ts';
import { ShopButton } from '../purchase/shop-button.tsx';
import { useUser } from '../session/use-user.ts';
import { useTunnel } from '../tunnel/tunnel-context.tsx';
import type { CardAction } from './card-actions.ts';
import classes from './connect-buttons.module.css';
import { PlanInstead } from './plan-instead.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { usePortalSignIn } from './status/use-portal-sign-in.ts';

interface ConnectButtonsProps {
  /** The most likely action first. */
  actions: readonly CardAction[];
  chosen: ListedServer | undefined;
}

/** The available actions. A button that replaces another one takes over its focus. */
export function ConnectButtons({ actions, chosen }: ConnectButtonsProps) {
  const takesFocus = useFocusHandover();
  // If there are several, the one that exists in nearly every state.
  const main = actions.find((action) => changesTunnel.has(action)) ?? actions[0];
  if (main === undefined) return null;
  return (
    <div className={classes.buttons}>
      {actions.map((action, index) => (
        <ActionButton
          // The same element for Connect, Cancel and Disconnect; only its text changes.
          key={action === main && changesTunnel.has(action) ? 'main' : action}
          action={action}
          isFirst={index === 0}
          chosen={chosen}
          takesFocus={action === main ? takesFocus : undefined}
        />
      ))}
    </div>
  );
}

const changesTunnel: ReadonlySet<CardAction> = new Set([
  'connect',
  'not-yet',
  'cancel',
  'disconnect',
  'disconnecting',
]);

interface ActionButtonProps {
  action: CardAction;
  isFirst: boolean;
  chosen: ListedServer | undefined;
  takesFocus: RefCallback<HTMLElement> | undefined;
}

function ActionButton({ action, isFirst, chosen, takesFocus }: ActionButtonProps) {
  const { t } = useTranslation();
  const tunnel = useTunnel();
  const host = useHost();
  const { portalAddress } = useApp();
  const portal = usePortalSignIn();
  const { data: user } = useUser();
  const ref = takesFocus ? { ref: takesFocus } : {};

  const connect = () => void tunnel.connect(chosen);
  const disconnect = () => void tunnel.disconnect();

  if (action === 'choose-plan') {
    if (isFirst) return user ? <PlanInstead {...ref} user={user} /> : null;
    return <ShopButton {...ref} size="lg" fullWidth variant="default" />;
  }
  if (action === 'sign-in-again') return <SignInAgain {...ref} user={user} />;
  const isWaiting =
    action === 'disconnecting' || action === 'not-yet' || (action === 'pass-portal' && portal.isLooking);
  const onClick = {
    connect,
    'not-yet': undefined,
    'connect-again': connect,
    switch: connect,
    cancel: disconnect,
    disconnect,
    disconnecting: undefined,
    unblock: disconnect,
    'open-portal': () => void (portalAddress && host.app.openExternal(portalAddress)),
    'pass-portal': portal.open,
  }[action];
  return (
    // Never `disabled`, because it would lose the focus.
    <Button
      {...ref}
      size="lg"
      fullWidth
      variant={isFirst && !endsTunnel.has(action) ? 'filled' : 'default'}
      data-disabled={isWaiting || undefined}
      aria-disabled={isWaiting || undefined}
      // The second click of a double click was not meant for the button that has come in between.
      onClick={({ detail: clicks }) => clicks < 2 && onClick?.()}
    >
      {t(words[action], chosen && { server: chosen.name })}
    </Button>
  );
}

const endsTunnel: ReadonlySet<CardAction> = new Set(['cancel', 'disconnect', 'disconnecting', 'unblock']);

const words = {
  connect: 'connect.connect',
  'not-yet': 'connect.connect',
  'connect-again': 'connect.again',
  switch: 'connect.switch',
  cancel: 'connect.cancel',
  disconnect: 'connect.disconnect',
  disconnecting: 'connect.disconnect',
  unblock: 'connect.unblock',
  'open-portal': 'connect.openPortal',
  'pass-portal': 'connect.passPortal',
} as const satisfies Partial<Record<CardAction, TextKey>>;
