import type { Draft } from '../../api/draft.js';
import type { V1Ingress } from '../../api/generated/types.js';
import { INGRESS_CLASSES } from '../../api/resource-refs.js';
import type { ServerContext } from '../server-context.js';
import { newestDefault } from './default-class.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns } from './refuse.js';

/** Ingresses that name no class get the default one. */
export class DefaultIngressClass implements AdmissionPlugin {
  readonly name = 'DefaultIngressClass';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, 'networking.k8s.io', 'ingresses')) return;
    const ingress = a.object as Draft<V1Ingress>;
    if (ingress.spec?.ingressClassName !== undefined || ingress.metadata?.annotations?.['kubernetes.io/ingress.class'] !== undefined) return;
    const found = newestDefault(this.context.view.list(INGRESS_CLASSES), ['ingressclass.kubernetes.io/is-default-class']);
    if (found) (ingress.spec ??= {}).ingressClassName = found.metadata?.name ?? '';
  }
}
