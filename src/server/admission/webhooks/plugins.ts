import type { KubeObject } from '../../../api/meta/object.js';
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS, type ResourceRef } from '../../../api/resource-refs.js';
import type { ServerContext } from '../../server-context.js';
import { createWebhookCaller } from '../../webhook/create-webhook-caller.js';
import { kubeconfigCredentials } from '../../webhook/webhook-credentials.js';
import type { WebhookAdmissionConfiguration } from '../config/webhook-admission.js';
import type { AdmissionPlugin } from '../plugin.js';
import type { WebhookConfiguration } from './hook.js';
import { HookCalls } from './hook-calls.js';
import { HookSource } from './hook-source.js';
import { MutatingAdmissionWebhook, type WebhookPluginEnvironment } from './mutating-admission-webhook.js';
import { ValidatingAdmissionWebhook } from './validating-admission-webhook.js';
import { WebhookMetrics, type WebhookType } from './webhook-metrics.js';

/** The two plugins that call webhooks, by name. What they show to whom is in the kubeconfigs that the admission configuration names. */
export function webhookPlugins(context: ServerContext): Readonly<Record<string, AdmissionPlugin>> {
  const metrics = new WebhookMetrics(context.metrics);
  const environment = (type: WebhookType, ref: ResourceRef, configuration: WebhookAdmissionConfiguration | undefined): WebhookPluginEnvironment => ({
    view: context.view,
    versions: () => context.core(),
    hooks: new HookSource(context.view, ref as ResourceRef<WebhookConfiguration & KubeObject>, () => context.core().scheme),
    calls: new HookCalls(context, createWebhookCaller(context, configuration?.kubeconfig && kubeconfigCredentials(configuration.kubeconfig)), metrics, type),
  });
  const { mutatingWebhooks, validatingWebhooks } = context.options.admissionConfiguration ?? {};
  const plugins = [
    new MutatingAdmissionWebhook(environment('admit', MUTATING_WEBHOOK_CONFIGURATIONS, mutatingWebhooks)),
    new ValidatingAdmissionWebhook(environment('validating', VALIDATING_WEBHOOK_CONFIGURATIONS, validatingWebhooks)),
  ];
  return Object.fromEntries(plugins.map((plugin) => [plugin.name, plugin]));
}
