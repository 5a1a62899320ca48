import { IconQuestionMark, IconWorldOff, IconX } from '@tabler/icons-react';
import type { ConnectionProblem } from '#shared/tunnel/state.ts';
import classes from './route-figure.module.css';
import type { TunnelLook } from '#shared/tunnel/look.ts';

/** Half the way, where both of the path's curves meet; and its end. */
const middle = { x: 124, y: 30 };
const end = { x: 246, y: 34 };

interface RouteFigureProps {
  look: TunnelLook;
  /** What is wrong with the tunnel, if anything is. */
  problem: ConnectionProblem | undefined;
}

/** The way from here to the server, as a drawing. The words beside it say the same. */
export function RouteFigure({ look, problem }: RouteFigureProps) {
  return (
    <svg
      className={classes.figure}
      data-look={look}
      data-problem={problem}
      viewBox="16 10 250 72"
      aria-hidden
      focusable="false"
    >
      <path className={classes.way} d="M34 66 C 84 66, 76 26, 124 30 S 186 74, 246 34" />
      <path
        className={classes.travelled}
        pathLength={100}
        d="M34 66 C 84 66, 76 26, 124 30 S 186 74, 246 34"
      />
      <circle className={classes.start} cx="34" cy="66" r="8" />
      <circle className={classes.halo} cx="246" cy="34" r="20" />
      <circle className={classes.end} cx="246" cy="34" r="10" />
      {problem && <ProblemMark problem={problem} />}
    </svg>
  );
}

/** Where on the way it fails: nothing gets through it, or it ends before the internet, or knows no names there. */
function ProblemMark({ problem }: { problem: ConnectionProblem }) {
  switch (problem) {
    case 'nothing-passes':
      return <Mark at={middle} Icon={IconX} />;
    case 'ipv4-silent':
      return <VersionMark text="IPv4" />;
    case 'ipv6-silent':
      return <VersionMark text="IPv6" />;
    case 'dns-silent':
    case 'no-dns':
      return <Mark at={end} Icon={IconQuestionMark} />;
    case 'no-internet':
      return <Mark at={end} Icon={IconWorldOff} />;
    default:
      return problem satisfies never;
  }
}

function Mark({ at, Icon }: { at: typeof middle; Icon: typeof IconX }) {
  return (
    <g className={classes.mark}>
      <circle cx={at.x} cy={at.y} r="15" />
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
