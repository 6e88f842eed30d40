import { KubeError } from '../../../base/errors.js';
import { parseGoDuration } from '../go-duration.js';

/** Prefix of the annotations that tell simulated pods what to do. */
export const SIM_PREFIX = 'sim.kube.dev/';

/** How long things take in a simulated runtime, in milliseconds. */
export interface SimLatencies {
  /** Default 0: pulling an image that is not present yet. */
  readonly pullMilliseconds: number;
  /** Default 0: making a sandbox. */
  readonly sandboxMilliseconds: number;
  /** Default 0: starting a container. */
  readonly startMilliseconds: number;
  /** Default 0: from the start of a container until it is ready. */
  readonly readyMilliseconds: number;
  /** Default 0: ending after the request to do so. */
  readonly stopMilliseconds: number;
  /** Default 1000: run time of containers that are expected to end by themselves (pods of Jobs, init containers) and say nothing else. */
  readonly completionMilliseconds: number;
}

export const DEFAULT_LATENCIES: SimLatencies = {
  pullMilliseconds: 0, sandboxMilliseconds: 0, startMilliseconds: 0, readyMilliseconds: 0, stopMilliseconds: 0, completionMilliseconds: 1000,
};

/** Points at which a simulated pod can be told to fail (`sim.kube.dev/fail`, separated by commas). */
export type FailPoint = 'ImagePull' | 'CreateSandbox' | 'CreateContainer' | 'Start' | 'Readiness' | 'Liveness' | 'Startup' | 'PostStart' | 'PreStop';
const FAIL_POINTS: readonly string[] = ['ImagePull', 'CreateSandbox', 'CreateContainer', 'Start', 'Readiness', 'Liveness', 'Startup', 'PostStart', 'PreStop'];

/** What a container (or sandbox) does. */
export interface Behaviour extends SimLatencies {
  readonly fail: ReadonlySet<FailPoint>;
  /** Only so many first tries fail; default: all. */
  readonly failTimes: number;
  /** Milliseconds after the start; undefined: as its command or kind says. */
  readonly exitAfter?: number;
  readonly exitCode?: number;
  /** Killed for lack of memory instead of exiting. */
  readonly oomKilled: boolean;
  /** Does not end when asked to, only when killed. */
  readonly ignoreTermination: boolean;
  readonly terminationMessage?: string;
  /** Milliseconds between log lines; default 10000. */
  readonly logInterval: number;
}

type Annotations = Readonly<Record<string, string>>;

/** True when there is anything in it for the simulation. */
export function hasSimAnnotations(annotations: Annotations): boolean {
  for (const key in annotations) if (key.startsWith(SIM_PREFIX)) return true;
  return false;
}

/**
 * Reads annotations: `sim.kube.dev/<container>.<key>` before `sim.kube.dev/<key>`. Keys: `pull-latency`, `sandbox-latency`,
 * `start-latency`, `ready-latency`, `stop-latency`, `exit-after`, `log-interval` (durations), `exit-code`, `crash-loop` (exit 1 after
 * `exit-after`, default 1s), `oom-kill`, `ignore-sigterm`, `fail`, `fail-times`, `termination-message`. Throws `KUBE_SIM_ANNOTATION` for a bad value.
 */
export function readBehaviour(annotations: Annotations, container: string, defaults: SimLatencies): Behaviour {
  if (!hasSimAnnotations(annotations)) return plainBehaviour(defaults);
  const read = <T>(key: string, parse: (text: string) => T | undefined, what: string): T | undefined => {
    const own = `${SIM_PREFIX}${container}.${key}`;
    const name = own in annotations ? own : SIM_PREFIX + key;
    const text = annotations[name];
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) throw new KubeError('KUBE_SIM_ANNOTATION', `annotation ${name}: "${text}" is not ${what}`);
    return value;
  };
  const duration = (key: string): number | undefined => read(key, parseGoDuration, 'a duration (like 500ms, 2s, 1m)');
  const whole = (key: string): number | undefined => read(key, (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined), 'a whole number');
  const flag = (key: string): boolean => read(key, (text) => (text === 'true' ? true : text === 'false' || text === '' ? false : undefined), 'true or false') ?? false;
  const crashLoop = flag('crash-loop');
  const oomKilled = flag('oom-kill');
  const exitCode = whole('exit-code') ?? (crashLoop ? 1 : undefined);
  const exitAfter = duration('exit-after') ?? (crashLoop || oomKilled ? 1000 : undefined);
  const terminationMessage = read('termination-message', (text) => text, 'text');
  return {
    pullMilliseconds: duration('pull-latency') ?? defaults.pullMilliseconds,
    sandboxMilliseconds: duration('sandbox-latency') ?? defaults.sandboxMilliseconds,
    startMilliseconds: duration('start-latency') ?? defaults.startMilliseconds,
    readyMilliseconds: duration('ready-latency') ?? defaults.readyMilliseconds,
    stopMilliseconds: duration('stop-latency') ?? defaults.stopMilliseconds,
    completionMilliseconds: defaults.completionMilliseconds,
    fail: read('fail', parseFailPoints, `one of ${FAIL_POINTS.join(', ')}`) ?? NOTHING,
    failTimes: whole('fail-times') ?? Infinity,
    ...(exitAfter === undefined ? {} : { exitAfter }),
    ...(exitCode === undefined ? {} : { exitCode }),
    oomKilled,
    ignoreTermination: flag('ignore-sigterm'),
    ...(terminationMessage === undefined ? {} : { terminationMessage }),
    logInterval: Math.max(10, duration('log-interval') ?? LOG_INTERVAL),
  };
}

const LOG_INTERVAL = 10_000;
const NOTHING: ReadonlySet<FailPoint> = new Set();

function plainBehaviour(defaults: SimLatencies): Behaviour {
  return { ...defaults, fail: NOTHING, failTimes: Infinity, oomKilled: false, ignoreTermination: false, logInterval: LOG_INTERVAL };
}

function parseFailPoints(text: string): ReadonlySet<FailPoint> | undefined {
  const points = text.split(',').map((part) => part.trim()).filter((part) => part !== '');
  return points.every((point) => FAIL_POINTS.includes(point)) ? new Set(points as FailPoint[]) : undefined;
}
