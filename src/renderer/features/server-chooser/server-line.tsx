import type { TFunction } from 'i18next';
import { memo, type ReactNode } from 'react';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { CountryHeading } from './country-heading.tsx';
import { FastestOption } from './fastest-option.tsx';
import { GroupHeading } from './group-heading.tsx';
import classes from './server-chooser.module.css';
import { ServerOption } from './server-option.tsx';
import type { ServerRow } from './server-rows.ts';

interface ServerLineProps {
  /** Passed in: while scrolling, creating it for each row would take as long as everything else. */
  t: TFunction;
  row: ServerRow;
  /** Its index among the rows that can be chosen, from 0; -1 if it cannot. */
  index: number;
  /** The common prefix of all rows' ids. */
  ids: string;
  isActive: boolean;
  isStarActive: boolean;
  isChosen: boolean;
  isMeasuring: boolean;
  /** Undefined if nothing can be marked. */
  isFavourite: boolean | undefined;
  /** What the group's servers need before they can be used, if anything. */
  lackTag: TextKey | undefined;
  lackText: TextKey | undefined;
  latency: ServerLatency | undefined;
  onSubmit: (index: number) => void;
  onFavourite: (serverId: string, isFavourite: boolean) => void;
}

/** A row of the list of servers, only drawn again if it has changed. */
export const ServerLine = memo(function ServerLine(props: ServerLineProps): ReactNode {
  const { t, row, index, ids, isActive, lackTag, lackText, isFavourite, onFavourite } = props;
  const groupId = (id: string) => `${ids}-group-${id}`;
  const place = {
    id: `${ids}-option-${index}`,
    isActive,
    onSubmit: () => props.onSubmit(index),
    position: { 'aria-rowindex': index + 1 },
  };
  switch (row.kind) {
    case 'fastest':
      return <FastestOption isMeasuring={props.isMeasuring} {...place} />;
    case 'kept':
      return (
        <div className={classes.group}>
          <span className={classes.groupName}>{t(`servers.${row.kept}`)}</span>
        </div>
      );
    case 'group': {
      const lack = lackTag && lackText && { tag: lackTag, text: lackText };
      return <GroupHeading id={groupId(row.group.id)} group={row.group} lack={lack} />;
    }
    case 'country':
      return <CountryHeading country={row.country} count={row.count} />;
    case 'server': {
      const { server } = row;
      return (
        <ServerOption
          t={t}
          server={server}
          saysCountry={row.isKept}
          isChosen={props.isChosen}
          isUsable={lackTag === undefined}
          latency={props.latency}
          favourite={
            isFavourite === undefined
              ? undefined
              : {
                  id: `${ids}-star-${index}`,
                  isActive: props.isStarActive,
                  isOn: isFavourite,
                  set: (isOn) => onFavourite(server.serverId, isOn),
                }
          }
          describedBy={groupId(server.group.id)}
          {...place}
        />
      );
    }
    default:
      return row satisfies never;
  }
});
