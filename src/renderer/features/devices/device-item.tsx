import { IconDeviceLaptop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Device } from '#shared/entities.ts';
import { formatDateTime } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { ListItem } from '../../ui/lists/list-item.tsx';
import { RemoveButton } from '../../ui/buttons/remove-button.tsx';
import { Tag } from '../../ui/text/tag.tsx';

export function DeviceItem({ device, onRevoke }: { device: Device; onRevoke: () => void }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  return (
    <ListItem
      icon={<IconDeviceLaptop size={22} stroke={1.7} />}
      title={
        <>
          {device.name}
          {device.isCurrent && <Tag tone="good">{t('devices.current')}</Tag>}
        </>
      }
      detail={t('devices.lastSeen', { time: formatDateTime(new Date(device.lastSeenAt), language) })}
    >
      <RemoveButton label={t('devices.revokeNamed', { name: device.name })} onClick={onRevoke}>
        {t('devices.revoke')}
      </RemoveButton>
    </ListItem>
  );
}
