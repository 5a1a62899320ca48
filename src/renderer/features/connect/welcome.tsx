import { Button } from '@mantine/core';
import { IconPlugConnected, IconRepeat, IconShieldCheck } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/card.tsx';
import { focusHeading } from '../../ui/focus/focus-heading.ts';
import { useDismissal, type DismissalRecord } from '../../ui/messages/use-dismissal.ts';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import classes from './welcome.module.css';

const sentences = [
  { Icon: IconPlugConnected, text: 'welcome.connect' },
  { Icon: IconShieldCheck, text: 'welcome.card' },
  { Icon: IconRepeat, text: 'welcome.leave' },
] as const;

/** For this device, kept over sign-outs: somebody who signs in again is not new. */
const welcomed: DismissalRecord = {
  get: async ({ preferences }) => (await preferences.get()).welcomed === true,
  set: ({ preferences }, isWelcomed) => preferences.set({ welcomed: isWelcomed }),
};

/** For users who are here for the first time, and have not connected yet. */
export function Welcome({ isTimely }: { isTimely: boolean }) {
  const { t } = useTranslation();
  const { truth } = useTunnelView();
  const { isDismissed, dismiss } = useDismissal(welcomed);
  const isConnected = truth?.state === 'connected';
  useEffect(() => {
    if (isConnected) dismiss();
  }, [isConnected, dismiss]);
  if (isDismissed !== false || !isTimely) return null;
  const close = () => {
    dismiss();
    focusHeading();
  };
  return (
    <Card
      title={t('welcome.title')}
      aside={
        <Button variant="subtle" size="compact-md" onClick={close}>
          {t('welcome.close')}
        </Button>
      }
    >
      <ul role="list" className={classes.sentences}>
        {sentences.map(({ Icon, text }) => (
          <li key={text} className={classes.sentence}>
            <Icon size={20} stroke={1.8} aria-hidden className={classes.icon} />
            {t(text)}
          </li>
        ))}
      </ul>
    </Card>
  );
}
