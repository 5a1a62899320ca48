import { Button } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { deviceIdleDays } from '#shared/constants.ts';
import type { Device } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useHost } from '../../platform/host-context.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Empty } from '../../ui/lists/empty.tsx';
import { LoadedList } from '../../api/loaded-list.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { useRemoval } from '../../api/use-removal.ts';
import { DeviceItem } from './device-item.tsx';
import classes from './devices.module.css';

export function DevicesPage() {
  const { t } = useTranslation();
  const host = useHost();
  const devices = useApi('devices');
  const revoke = useApiMutation('revokeDevice', { changes: ['devices'] });
  const { asked, ask, busy, confirm } = useRemoval(async ({ deviceId, isCurrent }: Device) => {
    await revoke.mutateAsync({ params: { deviceId } });
    // The service no longer knows this device, so the stored session is useless.
    if (isCurrent) await host.session.signOut({ by: 'user' });
  }, 'devices.revoked');
  const revokeAll = useApiMutation('revokeDevices', { changes: ['devices'] });
  const all = useRemoval<true>(async () => {
    await revokeAll.mutateAsync({});
    await host.session.signOut({ by: 'user' });
  }, 'devices.allRevoked');
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }}>
        <PageHeading lead={t('devices.lead', { days: deviceIdleDays })}>{t('section.devices')}</PageHeading>
      </PageTop>
      <LoadedList
        query={devices}
        label={t('devices.list')}
        empty={<Empty icon={<IconDevices />} title={t('devices.empty')} text={t('devices.emptyText')} />}
      >
        {(device) => <DeviceItem key={device.deviceId} device={device} onRevoke={() => ask(device)} />}
      </LoadedList>
      {(devices.data?.items.length ?? 0) > 0 && (
        <Button variant="default" color="red" className={classes.all} onClick={() => all.ask(true)}>
          {t('devices.revokeAll')}
        </Button>
      )}
      {all.asked && (
        <ConfirmDialog
          title={t('devices.revokeAllTitle')}
          text={t('devices.revokeAllText')}
          confirm={t('devices.revokeAll')}
          busy={all.busy}
          onConfirm={() => void all.confirm()}
          onClose={() => all.ask(undefined)}
        />
      )}
      {asked && (
        <ConfirmDialog
          title={t('devices.confirmTitle', { name: asked.name })}
          text={t(asked.isCurrent ? 'devices.confirmCurrent' : 'devices.confirmText')}
          confirm={t('devices.revoke')}
          busy={busy}
          onConfirm={() => void confirm()}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}
