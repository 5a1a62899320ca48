import koffi from 'koffi';
import { handleOrThrow, lastError } from '#node/os/windows/last-error.ts';
import { steadyMemory } from '#node/os/windows/native-library.ts';
import type { ProcessCalls } from '../calls/process-calls.ts';
import {
  JOBOBJECT_BASIC_UI_RESTRICTIONS,
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
  processStartConstants as constants,
} from '../calls/process-structures.ts';

/** In bytes. Our programs take a third of it. */
const maxMemory = 512 * 1024 * 1024;

/**
 * A job for one process, which can start no other, has only so much memory and no windows, and ends with the job's last
 * handle unless `mayOutlive`. The caller closes it. `onNote` is told what the system does not limit. Throws
 * `CallFailed`.
 */
export function makeJob(calls: ProcessCalls, mayOutlive: boolean, onNote: (note: string) => void): number {
  const job = handleOrThrow('CreateJobObjectW', calls.createJob(null, null));
  const limits =
    constants.JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
    constants.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
    constants.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION |
    (mayOutlive ? 0 : constants.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);
  const none = {
    PerProcessUserTimeLimit: 0,
    PerJobUserTimeLimit: 0,
    MinimumWorkingSetSize: 0,
    MaximumWorkingSetSize: 0,
  };
  const information = {
    BasicLimitInformation: {
      ...none,
      LimitFlags: limits,
      ActiveProcessLimit: 1,
      Affinity: 0,
      PriorityClass: 0,
      SchedulingClass: 0,
    },
    IoInfo: {
      ReadOperationCount: 0,
      WriteOperationCount: 0,
      OtherOperationCount: 0,
      ReadTransferCount: 0,
      WriteTransferCount: 0,
      OtherTransferCount: 0,
    },
    ProcessMemoryLimit: maxMemory,
    JobMemoryLimit: 0,
    PeakProcessMemoryUsed: 0,
    PeakJobMemoryUsed: 0,
  };
  const windowsSize = koffi.sizeof(JOBOBJECT_BASIC_UI_RESTRICTIONS.type);
  const windows = steadyMemory(windowsSize);
  windows.writeUInt32LE(constants.JOB_OBJECT_UILIMIT_ALL, 0);
  const { JobObjectExtendedLimitInformation: memory, JobObjectBasicUIRestrictions: ui } = constants;
  const size = koffi.sizeof(JOBOBJECT_EXTENDED_LIMIT_INFORMATION.type);
  // A program with fewer limits is better than one with more rights.
  if (Number(calls.limitJob(job, memory, information, size)) === 0)
    onNote(`its memory is not limited (${lastError()})`);
  if (Number(calls.limitJobWindows(job, ui, windows, windowsSize)) === 0)
    onNote(`it may have windows (${lastError()})`);
  return job;
}
