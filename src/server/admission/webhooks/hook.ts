import type { V1LabelSelector, V1MutatingWebhook, V1ValidatingWebhook } from '../../../api/generated/types.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { LabelSelector } from '../../../api/selectors/label-selector.js';
import { errorMessage } from '../../../base/errors.js';
import type { WebhookClientConfig } from '../../webhook/webhook-caller.js';

/** A webhook as its configuration has it; only mutating ones have a reinvocation policy. */
export type WebhookSpec = V1ValidatingWebhook & Pick<V1MutatingWebhook, 'reinvocationPolicy'>;

/** A `MutatingWebhookConfiguration` or a `ValidatingWebhookConfiguration`. */
export type WebhookConfiguration = KubeObject & { readonly webhooks?: readonly WebhookSpec[] };

/** A webhook, its parts made ready for requests. */
export interface Hook {
  readonly configuration: string;
  readonly name: string;
  /** Tells apart webhooks of the same configuration and name. */
  readonly uid: string;
  readonly spec: WebhookSpec;
  readonly client: WebhookClientConfig;
  readonly namespaceSelector: ParsedSelector;
  readonly objectSelector: ParsedSelector;
  /** Failures to call it are passed over. */
  readonly ignoresFailures: boolean;
}

/** A selector, or why it is none: stored configurations may be older than today's rules. */
export type ParsedSelector = LabelSelector | { readonly invalid: string };

/** The webhooks of a configuration in their order. */
export function compileHooks(configuration: WebhookConfiguration): Hook[] {
  const name = configuration.metadata?.name ?? '';
  const seen = new Map<string, number>();
  return (configuration.webhooks ?? []).map((spec) => {
    const count = seen.get(spec.name) ?? 0;
    seen.set(spec.name, count + 1);
    return {
      configuration: name,
      name: spec.name,
      uid: `${name}/${spec.name}/${count}`,
      spec,
      client: spec.clientConfig,
      namespaceSelector: parse(spec.namespaceSelector),
      objectSelector: parse(spec.objectSelector),
      ignoresFailures: spec.failurePolicy === 'Ignore',
    };
  });
}

function parse(selector: V1LabelSelector | undefined): ParsedSelector {
  try {
    return LabelSelector.fromObject(selector);
  } catch (error) {
    return { invalid: errorMessage(error) };
  }
}
