import { constants, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { errorMessage, KubeError } from '../../../base/errors.js';
import { exists } from '../../../base/files.js';

/** What conmon takes on its control pipe: kind of message (2: begin the log file anew) and two numbers that this kind does not use. */
const REOPEN = '2 0 0\n';

/** Lets a container's monitor begin a new log file where the old one was moved away; resolves once it is there. Rejects (`KUBE_LOG_REOPEN`) when there is no monitor that listens. */
export async function reopenLog(bundle: string, logPath: string): Promise<void> {
  const name = basename(logPath);
  let appeared!: () => void;
  const there = new Promise<void>((resolve) => (appeared = resolve));
  const watcher = watch(dirname(logPath), (_event, file) => {
    if (file === name || file === null) void exists(logPath).then((found) => found && appeared());
  });
  watcher.on('error', appeared);
  try {
    // Without a reader opening would wait for one.
    const pipe = await open(`${bundle}/ctl`, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: unknown) => {
      throw new KubeError('KUBE_LOG_REOPEN', `the monitor of the container does not listen: ${errorMessage(error)}`, { cause: error });
    });
    try {
      await pipe.write(REOPEN);
    } finally {
      await pipe.close();
    }
    if (!(await exists(logPath))) await there;
  } finally {
    watcher.close();
  }
}
