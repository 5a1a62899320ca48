import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import { Tag } from '../../ui/text/tag.tsx';
import type { lackOfPlan } from './lack-of-plan.ts';
import classes from './server-chooser.module.css';
import { TrialTag } from './trial-tag.tsx';

interface GroupHeadingProps {
  id: string;
  group: ServerGroup;
  /** Why its servers cannot be used, if they cannot. */
  lack: ReturnType<typeof lackOfPlan> | undefined;
}

/** The group of the following servers, and why they cannot be used. */
export function GroupHeading({ id, group, lack }: GroupHeadingProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.group}>
      <span id={id} className={classes.groupName}>
        {group.name}
        {lack && <span className={classes.why}>{t(lack.text)}</span>}
      </span>
      {lack ? (
        <Tag tone={lack.tag === 'connect.groupNeedsPlan' ? 'plain' : 'bad'}>{t(lack.tag)}</Tag>
      ) : (
        group.isTrial && <TrialTag trialExpiredAt={group.trialExpiredAt} />
      )}
    </div>
  );
}
