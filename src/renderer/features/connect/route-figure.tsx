import {
  IconBan,
  IconDeviceDesktopOff,
  IconDownload,
  IconExclamationMark,
  IconKey,
  IconLock,
  IconPlugConnectedX,
  IconPuzzle,
  IconQuestionMark,
  IconRefresh,
  IconShieldOff,
  IconTicket,
  IconWifi,
  IconWorldOff,
  IconX,
} from '@tabler/icons-react';
import type { ConnectionProblem } from '#shared/tunnel/state.ts';
import type { CardState } from './card-state.ts';
import classes from './route-figure.module.css';
import type { TunnelLook } from '#shared/tunnel/look.ts';

/** The machine; the middle of the path, where its two curves meet; and the server. */
const start = { x: 34, y: 66 };
const middle = { x: 124, y: 30 };
const end = { x: 246, y: 34 };

interface Place {
  at: typeof middle;
  Icon: typeof IconX;
}

/** The marks for obstacles, and their places: at the machine, on the path, or at the server. */
const marks: Partial<Record<CardState, Place>> = {
  failed: { at: end, Icon: IconExclamationMark },
  exposed: { at: start, Icon: IconShieldOff },
  'captive-portal': { at: middle, Icon: IconWifi },
  'needs-plan': { at: end, Icon: IconTicket },
  'sign-in-needed': { at: end, Icon: IconKey },
  blocked: { at: middle, Icon: IconLock },
  'blocked-by-portal': { at: middle, Icon: IconLock },
  reconnecting: { at: middle, Icon: IconRefresh },
  'update-needed': { at: start, Icon: IconDownload },
  'helper-absent': { at: start, Icon: IconPlugConnectedX },
  'not-allowed': { at: start, Icon: IconBan },
  'part-missing': { at: start, Icon: IconPuzzle },
  unsupported: { at: start, Icon: IconDeviceDesktopOff },
};

interface RouteFigureProps {
  look: TunnelLook;
  card: CardState;
  /** What is wrong with the tunnel, if anything is. */
  problem: ConnectionProblem | undefined;
}

/** A drawing of the path from this machine to the server. The text beside it says the same. */
export function RouteFigure({ look, card, problem }: RouteFigureProps) {
  const mark = marks[card];
  return (
    <svg
      className={classes.figure}
      data-look={look}
      data-card={card}
      data-problem={problem}
      viewBox="16 10 250 76"
      aria-hidden
      focusable="false"
    >
      <path className={classes.way} d="M34 66 C 84 66, 76 26, 124 30 S 186 74, 246 34" />
      <path
        className={classes.travelled}
        pathLength={100}
        d="M34 66 C 84 66, 76 26, 124 30 S 186 74, 246 34"
      />
      <circle className={classes.start} cx={start.x} cy={start.y} r="8" />
      <circle className={classes.halo} cx={end.x} cy={end.y} r="20" />
      <circle className={classes.end} cx={end.x} cy={end.y} r="10" />
      {mark && <Mark {...mark} />}
      {problem && <ProblemMark problem={problem} />}
    </svg>
  );
}

/** Where it fails: nothing gets through, the path ends before the internet, or no names are known there. */
function ProblemMark({ problem }: { problem: ConnectionProblem }) {
  switch (problem) {
    case 'nothing-passes':
    case 'routes-overruled':
      return <Mark at={middle} Icon={IconX} />;
    case 'ipv4-silent':
      return <VersionMark text="IPv4" />;
    case 'ipv6-silent':
      return <VersionMark text="IPv6" />;
    case 'dns-silent':
    case 'names-fail':
    case 'no-dns':
    case 'dns-contested':
      return <Mark at={end} Icon={IconQuestionMark} />;
    case 'no-internet':
      return <Mark at={end} Icon={IconWorldOff} />;
    default:
      return problem satisfies never;
  }
}

function Mark({ at, Icon }: Place) {
  return (
    <g className={classes.mark}>
      <circle cx={at.x} cy={at.y} r="16" />
      <Icon x={at.x - 10} y={at.y - 10} size={20} />
    </g>
  );
}

function VersionMark({ text }: { text: string }) {
  const { x, y } = middle;
  return (
    <g className={classes.mark}>
      <rect x={x - 32} y={y - 12} width="64" height="24" rx="12" />
      <text x={x - 8} y={y} textAnchor="middle" dominantBaseline="central">
        {text}
      </text>
      <IconX x={x + 9} y={y - 8} size={16} />
    </g>
  );
}
