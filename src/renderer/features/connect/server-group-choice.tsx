import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import { Choice } from '../../ui/choice.tsx';
import { Tag } from '../../ui/tag.tsx';
import type { lackOfPlan } from './lack-of-plan.ts';
import classes from './server-list.module.css';
import { TrialTag } from './trial-tag.tsx';
import { listServers, type ListedServer } from '#shared/plan/usable-group.ts';

interface ServerGroupChoiceProps {
  group: ServerGroup;
  /** Why its servers cannot be used, where that is so. */
  lack: ReturnType<typeof lackOfPlan> | undefined;
  chosen: ListedServer | undefined;
  onChoose: (server: ListedServer) => void;
}

/** A group's servers to choose from, or why they are not to be had. */
export function ServerGroupChoice({ group, lack, chosen, onChoose }: ServerGroupChoiceProps) {
  const { t } = useTranslation();
  const id = useId();
  const hasLevels = new Set(group.items.map(({ level }) => level)).size > 1;
  const servers = listServers([group]).sort((one, other) => one.level - other.level);
  return (
    <fieldset
      className={classes.group}
      disabled={lack !== undefined}
      aria-labelledby={`${id}-name`}
      aria-describedby={lack && `${id}-why`}
    >
      <div className={classes.head}>
        <h3 id={`${id}-name`} className={classes.groupName}>
          {group.name}
        </h3>
        {lack ? (
          <Tag tone={lack.tag === 'connect.groupNeedsPlan' ? 'plain' : 'bad'}>{t(lack.tag)}</Tag>
        ) : (
          group.isTrial && <TrialTag trialExpiredAt={group.trialExpiredAt} />
        )}
      </div>
      {servers.map((server) => (
        <Choice
          key={server.serverId}
          name="server"
          checked={chosen?.serverId === server.serverId}
          onChoose={() => onChoose(server)}
          title={server.name}
          text={server.domain}
          aside={hasLevels && <Tag tone="plain">{t('connect.tier', { level: server.level })}</Tag>}
        />
      ))}
      {/* Always there, or the end of a trial or plan that comes while one looks on may go unread. */}
      <p id={`${id}-why`} className={classes.why} aria-live="polite">
        {lack && t(lack.text)}
      </p>
    </fieldset>
  );
}
