import { readdir, readFile } from 'node:fs/promises';
import { BUSYBOX } from '../../../harness/native.js';

/**
 * A pod's specification whose container writes a line to `<marks>/<pod>.starts` at each start, and listens on a port while it runs: a second one at the same time in the
 * same sandbox cannot, and writes to `<marks>/twice`. Then it runs a script of `sh`.
 */
export function markedPod(marks: string, script: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const mark = '(nc -l -p 7 </dev/null >/dev/null 2>&1; echo "$NAME" >> /marks/twice) & echo start >> "/marks/$NAME.starts"';
  return {
    terminationGracePeriodSeconds: 1,
    containers: [{
      name: 'c', image: BUSYBOX, command: ['sh', '-c', `${mark}\n${script}`],
      env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      volumeMounts: [{ name: 'marks', mountPath: '/marks' }],
    }],
    volumes: [{ name: 'marks', hostPath: { path: marks } }],
    ...more,
  };
}

/** How often the container of each pod was started, by the pod's name. */
export async function startsOf(marks: string): Promise<ReadonlyMap<string, number>> {
  const names = (await readdir(marks)).filter((name) => name.endsWith('.starts'));
  return new Map(await Promise.all(names.map(async (name) => [name.slice(0, -'.starts'.length), (await linesOf(`${marks}/${name}`)).length] as const)));
}

/** The lines of a file; none when it does not exist. */
export async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
}
