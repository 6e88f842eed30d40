import type { KubeObject } from '../../../api/meta/object.js';
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS, type ResourceRef } from '../../../api/resource-refs.js';
import type { ServerContext } from '../../server-context.js';
import { createWebhookCaller } from '../../webhook/create-webhook-caller.js';
import type { WebhookCredentials } from '../../webhook/webhook-credentials.js';
import type { AdmissionPlugin } from '../plugin.js';
import type { WebhookConfiguration } from './hook.js';
import { HookCalls } from './hook-calls.js';
import { HookSource } from './hook-source.js';
import { MutatingAdmissionWebhook, type WebhookPluginEnvironment } from './mutating-admission-webhook.js';
import { ValidatingAdmissionWebhook } from './validating-admission-webhook.js';
import { WebhookMetrics, type WebhookType } from './webhook-metrics.js';

/** What is shown to the webhooks of each plugin, from the kubeconfigs that their configurations name; default nothing. */
export interface WebhookPluginOptions {
  readonly mutating?: WebhookCredentials | undefined;
  readonly validating?: WebhookCredentials | undefined;
}

/** The two plugins that call webhooks, by name. */
export function webhookPlugins(context: ServerContext, options: WebhookPluginOptions = {}): Readonly<Record<string, AdmissionPlugin>> {
  const metrics = new WebhookMetrics(context.metrics);
  const environment = (type: WebhookType, ref: ResourceRef, credentials: WebhookCredentials | undefined): WebhookPluginEnvironment => ({
    view: context.view,
    versions: () => context.core(),
    hooks: new HookSource(context.view, ref as ResourceRef<WebhookConfiguration & KubeObject>, () => context.core().scheme),
    calls: new HookCalls(context, createWebhookCaller(context, credentials), metrics, type),
  });
  const plugins = [
    new MutatingAdmissionWebhook(environment('admit', MUTATING_WEBHOOK_CONFIGURATIONS, options.mutating)),
    new ValidatingAdmissionWebhook(environment('validating', VALIDATING_WEBHOOK_CONFIGURATIONS, options.validating)),
  ];
  return Object.fromEntries(plugins.map((plugin) => [plugin.name, plugin]));
}
