import type { V1FlowSchema, V1FlowSchemaCondition } from '../../api/generated/types.js';
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import { timestamp } from '../../api/meta/timestamp.js';
import type { ServerContext } from '../server-context.js';

/** Changes come in groups: those of this time are looked at together. */
const GATHER_MILLISECONDS = 200;

const CONSUMER = 'api-priority-and-fairness-config-consumer-v1';

/** Keeps the condition `Dangling` of flow schemas true: whether the priority level that they name exists. */
export class FlowSchemaStatus {
  private waiting = false;

  constructor(
    private readonly context: ServerContext,
    private readonly signal: AbortSignal,
  ) {}

  /** Brings all flow schemas up to date, and again whenever something changes until the server stops. */
  async start(): Promise<void> {
    await this.update();
    const { view } = this.context;
    for (const end of [view.onChange(FLOW_SCHEMAS, () => this.trigger()), view.onChange(PRIORITY_LEVEL_CONFIGURATIONS, () => this.trigger())]) {
      this.signal.addEventListener('abort', end, { once: true });
    }
  }

  private trigger(): void {
    if (this.waiting || this.signal.aborted) return;
    this.waiting = true;
    this.context.clock.setTimeout(() => void this.run(), GATHER_MILLISECONDS, { unref: true });
  }

  private async run(): Promise<void> {
    this.waiting = false;
    if (this.signal.aborted) return;
    try {
      await this.update();
    } catch (error) {
      if (this.signal.aborted) return;
      this.context.log.warn('the status of flow schemas could not be brought up to date', { error: errorMessage(error) });
      this.trigger();
    }
  }

  private async update(): Promise<void> {
    await Promise.all(this.context.view.list(FLOW_SCHEMAS).map((schema) => this.updateOne(schema)));
  }

  private async updateOne(schema: V1FlowSchema): Promise<void> {
    const wanted = this.condition(schema);
    const conditions = schema.status?.conditions ?? [];
    const present = conditions.find(({ type }) => type === wanted.type);
    if (present && present.status === wanted.status && present.message === wanted.message) return;
    try {
      const name = schema.metadata?.name ?? '';
      const applied = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name }, status: { conditions: [wanted] } };
      await this.context.loopback.resource(FLOW_SCHEMAS).patch('', name, 'apply', applied, 'status', { fieldManager: CONSUMER, force: true });
    } catch (error) {
      // Whoever changed it triggers another look.
      if (!StatusError.is(error, 'Conflict') && !StatusError.is(error, 'NotFound')) throw error;
    }
  }

  private condition(schema: V1FlowSchema): V1FlowSchemaCondition {
    const name = schema.spec?.priorityLevelConfiguration.name ?? '';
    const found = this.context.view.get(PRIORITY_LEVEL_CONFIGURATIONS, '', name) !== undefined;
    return {
      type: 'Dangling',
      status: found ? 'False' : 'True',
      lastTransitionTime: timestamp(this.context.clock.now()),
      reason: found ? 'Found' : 'NotFound',
      message: `This FlowSchema references the PriorityLevelConfiguration object named "${name}" ${found ? 'and it exists' : 'but there is no such object'}`,
    };
  }
}
