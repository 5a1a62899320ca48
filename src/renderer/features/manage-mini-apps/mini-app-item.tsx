import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { MiniApp } from '#shared/entities.ts';
import { IconOrInitial } from '../../ui/pictures/icon-or-initial.tsx';
import { ListItem } from '../../ui/lists/list-item.tsx';
import { RemoveButton } from '../../ui/buttons/remove-button.tsx';
import { Tag } from '../../ui/text/tag.tsx';
import { miniAppTypeTexts } from './mini-app-types.ts';
import { Link } from '../../ui/text/link.tsx';

export function MiniAppItem({ miniApp, onDelete }: { miniApp: MiniApp; onDelete: () => void }) {
  const { t } = useTranslation();
  const { id, name, type, link, icon, priority } = miniApp;
  return (
    <ListItem
      icon={<IconOrInitial icon={icon} name={name} size={40} />}
      title={
        <>
          {name}
          <Tag tone="plain">{t(miniAppTypeTexts[type].name)}</Tag>
          <Tag tone="plain">{t('apps.priority', { priority })}</Tag>
        </>
      }
      detail={link}
    >
      <Button
        component={Link}
        to={`/apps/${encodeURIComponent(id)}`}
        size="sm"
        variant="default"
        aria-label={t('apps.editNamed', { name })}
      >
        {t('apps.edit')}
      </Button>
      <RemoveButton label={t('apps.deleteNamed', { name })} onClick={onDelete}>
        {t('apps.delete')}
      </RemoveButton>
    </ListItem>
  );
}
