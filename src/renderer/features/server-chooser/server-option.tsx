import { IconCheck, IconStar, IconStarFilled } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { formatMilliseconds } from '../../i18n/format.ts';
import { Flag } from '../../ui/pictures/flag.tsx';
import { ChooserOption, type RowPosition } from './chooser-option.tsx';
import classes from './server-chooser.module.css';
import { ServerLoad } from './server-load.tsx';
import { countryName } from '../../i18n/country-name.ts';
import { cityBesideName } from './server-place.ts';

interface Favourite {
  /** The button's id. */
  id: string;
  isOn: boolean;
  /** Whether the keyboard is there. */
  isActive: boolean;
  set: (isOn: boolean) => void;
}

interface ServerOptionProps {
  t: TFunction;
  id: string;
  server: ListedServer;
  /** Whether there is no heading with its country above it. */
  saysCountry: boolean;
  isChosen: boolean;
  /** Whether the keyboard is here. */
  isActive: boolean;
  isUsable: boolean;
  onSubmit: () => void;
  latency: ServerLatency | undefined;
  /** Undefined if the app keeps no favourites. */
  favourite: Favourite | undefined;
  /** The id of the text with its group, and with what is missing for it. */
  describedBy: string;
  position: RowPosition;
}

export function ServerOption(props: ServerOptionProps) {
  const { t, server, saysCountry, isChosen, favourite } = props;
  return (
    <ChooserOption
      id={props.id}
      isActive={props.isActive}
      isChosen={isChosen}
      isUsable={props.isUsable}
      isIndented={!saysCountry && server.country !== undefined}
      describedBy={props.describedBy}
      position={props.position}
      onSubmit={props.onSubmit}
      action={favourite && <FavouriteCell t={t} server={server} favourite={favourite} />}
    >
      {saysCountry && <Flag country={server.country} />}
      <span className={classes.words}>
        <span className={classes.name}>{`${server.name} `}</span>
        <ServerDetails t={t} server={server} saysCountry={saysCountry} />
      </span>
      <Latency t={t} latency={props.latency} />
      <span className={classes.check}>{isChosen && <IconCheck size={20} aria-hidden />}</span>
    </ChooserOption>
  );
}

/** The star: the row's second cell, which the search field's arrow keys reach. */
function FavouriteCell({
  t,
  server,
  favourite,
}: {
  t: TFunction;
  server: ListedServer;
  favourite: Favourite;
}) {
  const { id, isOn, isActive, set } = favourite;
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as its row
    <div role="gridcell" className={classes.starCell}>
      <button
        id={id}
        type="button"
        tabIndex={-1}
        className={classes.star}
        data-on={isOn || undefined}
        data-active={isActive || undefined}
        // The label says what the button does, so it needs no separate state.
        aria-label={t(isOn ? 'servers.removeFavourite' : 'servers.addFavourite', { server: server.name })}
        onClick={() => set(!isOn)}
      >
        {isOn ? <IconStarFilled size={18} aria-hidden /> : <IconStar size={18} stroke={1.8} aria-hidden />}
      </button>
    </div>
  );
}

/** Where it is and how busy, if that is known; otherwise its host name. */
function ServerDetails({
  t,
  server,
  saysCountry,
}: {
  t: TFunction;
  server: ListedServer;
  saysCountry: boolean;
}) {
  const language = useLanguageTag();
  const { country, load, domain } = server;
  const name = country === undefined ? undefined : countryName(country, language);
  const city = cityBesideName(server);
  const parts = [city, saysCountry ? name : undefined].filter((part) => part !== undefined);
  const place = parts.length === 0 && load === undefined ? domain : parts.join(' · ');
  return (
    <span className={classes.details}>
      {name !== undefined && !saysCountry && <span className={classes.spoken}>{`${name} `}</span>}
      {place !== '' && <span>{`${place} `}</span>}
      {load !== undefined && <ServerLoad t={t} load={load} />}
    </span>
  );
}

function Latency({ t, latency }: { t: TFunction; latency: ServerLatency | undefined }) {
  const language = useLanguageTag();
  if (!latency) return null;
  const { milliseconds } = latency;
  return (
    <span className={classes.latency}>
      {`${milliseconds === null ? t('servers.noAnswer') : formatMilliseconds(milliseconds, language)} `}
    </span>
  );
}
