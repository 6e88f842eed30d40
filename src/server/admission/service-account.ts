import type { Draft } from '../../api/draft.js';
import type { V1Container, V1Pod, V1PodSpec, V1ServiceAccount, V1Volume } from '../../api/generated/types.js';
import { pathSegmentName } from '../../api/meta/validation/names.js';
import { SERVICE_ACCOUNTS } from '../../api/resource-refs.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';
import { checkMountableSecrets, referencedSecrets } from './service-account-secrets.js';

const DEFAULT_ACCOUNT = 'default';
const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const ENFORCE_ANNOTATION = 'kubernetes.io/enforce-mountable-secrets';
/** Asked for when tokens are mounted: the token warns after an hour but lasts longer. */
const TOKEN_SECONDS = 3607;
/** The default account of a new namespace is waited for at most this long, as upstream's ten attempts do. */
const WAIT_MILLISECONDS = 1500;

/** Gives pods a service account, the volume with its token, and its image pull secrets. */
export class ServiceAccountAdmission implements AdmissionPlugin {
  readonly name = 'ServiceAccount';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  admit(a: AdmissionAttributes): void | Promise<void> {
    if (a.operation !== 'CREATE' || !concerns(a, '', 'pods')) return;
    const pod = a.object as Draft<V1Pod>;
    if (isMirror(pod)) return this.validate(a);
    const spec = (pod.spec ??= { containers: [] });
    const name = spec.serviceAccountName || DEFAULT_ACCOUNT;
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
    const account = this.context.view.get(SERVICE_ACCOUNTS, a.namespace, name);
    if (account) return this.complete(a, spec, account);
    if (name !== DEFAULT_ACCOUNT) throw this.missing(a, name);
    return this.waitForDefault(a.namespace).then((found) => {
      if (!found) throw this.missing(a, name);
      this.complete(a, spec, found);
    });
  }

  validate(a: AdmissionAttributes): void {
    if (a.operation === 'UPDATE') {
      if (concerns(a, '', 'pods', 'ephemeralcontainers')) this.checkSecrets(a, 'ephemeral');
      return;
    }
    if (!concerns(a, '', 'pods')) return;
    const pod = a.object as V1Pod;
    if (isMirror(pod)) checkMirror(a, pod);
    else this.checkSecrets(a, 'all');
  }

  private complete(a: AdmissionAttributes, spec: Draft<V1PodSpec>, account: V1ServiceAccount): void {
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, () => VOLUME_PREFIX + this.context.random.suffix(5));
    if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
      spec.imagePullSecrets = account.imagePullSecrets.map((reference) => ({ name: reference.name ?? '' }));
    }
    this.validate(a);
  }

  private checkSecrets(a: AdmissionAttributes, containers: 'all' | 'ephemeral'): void {
    const pod = a.object as V1Pod;
    const name = pod.spec?.serviceAccountName ?? '';
    if (name === '') throw refusal(a, `no service account specified for pod ${a.namespace}/${pod.metadata?.name ?? ''}`);
    const account = this.context.view.get(SERVICE_ACCOUNTS, a.namespace, name);
    if (!account) throw this.missing(a, name);
    if (!/^(1|t|true)$/i.test(account.metadata?.annotations?.[ENFORCE_ANNOTATION] ?? '')) return;
    const complaint = checkMountableSecrets(account, pod, containers);
    if (complaint !== undefined) throw refusal(a, complaint);
  }

  private missing(a: AdmissionAttributes, name: string): Error {
    const wrong = pathSegmentName(name);
    const why = wrong.length > 0 ? `invalid resource name ${JSON.stringify(name)}: [${wrong.join(' ')}]` : `serviceaccount ${JSON.stringify(name)} not found`;
    return refusal(a, `error looking up service account ${a.namespace}/${name}: ${why}`);
  }

  /** The controller makes the account of a new namespace; the first pod must not lose that race. */
  private waitForDefault(namespace: string): Promise<V1ServiceAccount | undefined> {
    const { view, clock } = this.context;
    return new Promise((resolve) => {
      const finish = (account: V1ServiceAccount | undefined): void => {
        cancel();
        end();
        resolve(account);
      };
      const cancel = clock.setTimeout(() => finish(undefined), WAIT_MILLISECONDS);
      const end = view.onChange(SERVICE_ACCOUNTS, (change) => {
        const { metadata } = change.object;
        if (change.type !== 'DELETED' && metadata?.namespace === namespace && metadata.name === DEFAULT_ACCOUNT) finish(change.object);
      });
    });
  }
}

function isMirror(pod: V1Pod): boolean {
  return pod.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined;
}

function checkMirror(a: AdmissionAttributes, pod: V1Pod): void {
  if (pod.spec?.serviceAccountName) throw refusal(a, 'a mirror pod may not reference service accounts');
  if (referencedSecrets(pod).length > 0) throw refusal(a, 'a mirror pod may not reference secrets');
  const usesToken = (pod.spec?.volumes ?? []).some((volume) => volume.projected?.sources?.some((source) => source.serviceAccountToken));
  if (usesToken) throw refusal(a, 'a mirror pod may not use ServiceAccountToken volume projections');
}

/** Mounts the token in each container that has nothing else in its place. */
function mountToken(spec: Draft<V1PodSpec>, newName: () => string): void {
  const existing = spec.volumes?.find((volume) => volume.name.startsWith(VOLUME_PREFIX))?.name;
  const containers: Draft<V1Container>[] = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const lacking = containers.filter((container) => !container.volumeMounts?.some((mount) => mount.mountPath === MOUNT_PATH));
  if (lacking.length === 0) return;
  const name = existing ?? newName();
  for (const container of lacking) container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: MOUNT_PATH }];
  if (existing === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function tokenVolume(name: string): Draft<V1Volume> {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
      ],
      defaultMode: 420,
    },
  };
}
