import type { KubeObject } from '../../api/meta/object.js';
import { silentLogger } from '../../base/log.js';
import type { EventRecorder } from '../../reconcile/index.js';
import type { Controller, ControllerContext, ControllerDescriptor, ControllerOptions } from '../controller.js';
import { FakeApi, type FakeApiOptions } from './fake-api.js';

/** Settings for tests. */
export const testControllerOptions: ControllerOptions = {
  clusterName: 'test',
  serviceClusterIpRange: '10.96.0.0/16',
  clusterCidr: '10.244.0.0/16',
  nodeCidrMaskSize: 24,
  allocateNodeCidrs: true,
  rootCa: 'ROOT CA',
  nodeMonitorGracePeriodSeconds: 40,
  terminatedPodGcThreshold: 12500,
};

/** A controller under test, over a {@link FakeApi}. */
export interface ControllerHarness {
  readonly api: FakeApi;
  /** Events as `type reason message`, in order. */
  readonly events: string[];
  readonly controllers: readonly Controller[];
  /** Lets everything that is due happen, then moves time on by `milliseconds` (default 0). */
  settle(milliseconds?: number): Promise<void>;
  stop(): Promise<void>;
}

/** A recorder that keeps `type reason message`. */
export function listRecorder(events: string[]): EventRecorder {
  const recorder: EventRecorder = {
    event: (_object: KubeObject, type, reason, message) => void events.push(`${type} ${reason} ${message}`),
    withComponent: () => recorder,
  };
  return recorder;
}

/** The context that a controller gets in tests. */
export function testContext(api: FakeApi, events: string[] = [], options: Partial<ControllerOptions> = {}): ControllerContext {
  return { client: api, informers: api, recorder: listRecorder(events), clock: api.clock, random: api.random, log: silentLogger, options: { ...testControllerOptions, ...options } };
}

/** Starts controllers over a new fake API; `prepare` fills it first. */
export async function startControllers(
  descriptors: readonly ControllerDescriptor[],
  prepare: (api: FakeApi) => void = () => undefined,
  options: FakeApiOptions & { readonly controllerOptions?: Partial<ControllerOptions> } = {},
): Promise<ControllerHarness> {
  const api = new FakeApi(options);
  prepare(api);
  const events: string[] = [];
  const context = testContext(api, events, options.controllerOptions);
  const controllers: Controller[] = [];
  for (const descriptor of descriptors) controllers.push(await descriptor.start(context));
  // A reconcile is a chain of promises; a few turns of the loop end all that are under way.
  const settle = async (milliseconds = 0): Promise<void> => {
    for (let turn = 0; turn < 6; turn++) await api.clock.advance(0);
    await api.clock.advance(milliseconds);
    for (let turn = 0; turn < 6; turn++) await api.clock.advance(0);
  };
  await settle();
  return {
    api,
    events,
    controllers,
    settle,
    stop: async () => {
      for (const controller of controllers) await controller.stop();
    },
  };
}
