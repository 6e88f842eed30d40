import { Quantity } from '../../api/quantity.js';
import { errorMessage, KubeError } from '../../base/errors.js';
import { NETWORK_FAILED } from './options.js';

/** Limits of a pod in bits per second; absent: none. Ingress is what the pod receives. */
export interface Bandwidth {
  readonly ingress?: number;
  readonly egress?: number;
}

/** Annotation of pods for the rate at which they may receive. */
export const INGRESS_BANDWIDTH = 'kubernetes.io/ingress-bandwidth';
/** Annotation of pods for the rate at which they may send. */
export const EGRESS_BANDWIDTH = 'kubernetes.io/egress-bandwidth';

const LEAST = 1e3;
const MOST = 1e15;
/** What may be sent at once: 20 ms' worth, and one packet of the largest size that offloading makes; more than 1 GiB helps nobody. */
const BURST_SECONDS = 0.02;
const LEAST_BURST = 64 * 1024;
const MOST_BURST = 1024 ** 3;
/** As the bandwidth plugin of CNI. */
const LATENCY = '25ms';

/** Limits from a pod's annotations. Throws `KUBE_POD_NETWORK` for what is no quantity from 1k to 1P. */
export function parseBandwidth(annotations: Readonly<Record<string, string>>): Bandwidth {
  const ingress = rate(annotations, INGRESS_BANDWIDTH);
  const egress = rate(annotations, EGRESS_BANDWIDTH);
  return { ...(ingress === undefined ? {} : { ingress }), ...(egress === undefined ? {} : { egress }) };
}

/** Arguments of `tc` that limit what goes out of an interface. */
export function limitArguments(device: string, bitsPerSecond: number): string[] {
  const burst = Math.round(Math.min(MOST_BURST, Math.max(LEAST_BURST, (bitsPerSecond / 8) * BURST_SECONDS)));
  return ['qdisc', 'replace', 'dev', device, 'root', 'tbf', 'rate', `${bitsPerSecond}bit`, 'burst', String(burst), 'latency', LATENCY];
}

function rate(annotations: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = annotations[name];
  if (text === undefined) return undefined;
  let value: number;
  try {
    value = Quantity.parse(text).value();
  } catch (error) {
    throw new KubeError(NETWORK_FAILED, `annotation ${name}: ${JSON.stringify(text)}: ${errorMessage(error)}`, { cause: error });
  }
  if (value < LEAST) throw new KubeError(NETWORK_FAILED, `annotation ${name}: ${JSON.stringify(text)}: resource is unreasonably small (< 1kbit)`);
  if (value > MOST) throw new KubeError(NETWORK_FAILED, `annotation ${name}: ${JSON.stringify(text)}: resource is unreasonably large (> 1Pbit)`);
  return value;
}
