import { IconDevices } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Device } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useHost } from '../../platform/host-context.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LoadedList } from '../../api/loaded-list.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { PageTop } from '../../ui/page-top.tsx';
import { useRemoval } from '../../api/use-removal.ts';
import { DeviceItem } from './device-item.tsx';

export function DevicesPage() {
  const { t } = useTranslation();
  const host = useHost();
  const devices = useApi('devices');
  const revoke = useApiMutation('revokeDevice', { changes: ['devices'] });
  const { asked, ask, busy, confirm } = useRemoval(async ({ deviceId, isCurrent }: Device) => {
    await revoke.mutateAsync({ params: { deviceId } });
    // The service knows this device no more: what the app keeps of the session is worth nothing.
    if (isCurrent) await host.session.signOut({ by: 'user' });
  }, 'devices.revoked');
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }}>
        <PageHeading lead={t('devices.lead')}>{t('section.devices')}</PageHeading>
      </PageTop>
      <LoadedList
        query={devices}
        label={t('devices.list')}
        empty={<Empty icon={<IconDevices />} title={t('devices.empty')} text={t('devices.emptyText')} />}
      >
        {(device) => <DeviceItem key={device.deviceId} device={device} onRevoke={() => ask(device)} />}
      </LoadedList>
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
