import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../platform/host-context.tsx';
import { leaveFocus } from '../../ui/focus/leave-focus.ts';
import { showError, showSuccess } from '../../ui/messages/toast.ts';
import classes from './gateway-form.module.css';

interface GatewayGroupProps {
  /** The chosen server's address. */
  address: string;
}

/** The group that the user chose at this server, with a button to change it; nothing if there is none. */
export function GatewayGroup({ address }: GatewayGroupProps) {
  const { t } = useTranslation();
  const { gatewayGroup: host } = useHost();
  const [group, setGroup] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    host.get({ address }).then(
      (now) => isCurrent && setGroup(now),
      // A host that does not answer knows no group, either.
      () => isCurrent && setGroup(null),
    );
    return () => {
      isCurrent = false;
    };
  }, [host, address]);

  if (group === null) return null;
  const forget = async () => {
    const forgotten = await host.forget({ address }).catch(() => false);
    if (!forgotten) return showError(t('error.storage'));
    setGroup(null);
    showSuccess(t('gatewayForm.groupForgotten'));
  };
  return (
    <div className={classes.group}>
      <span>{t('gatewayForm.group', { group })}</span>
      <Button ref={leaveFocus} variant="subtle" size="compact-md" onClick={() => void forget()}>
        {t('gatewayForm.changeGroup')}
      </Button>
    </div>
  );
}
