import type { V1ContainerPort, V1PodSpec } from '../../generated/types.js';
import type { FieldPath } from '../../meta/field-path.js';
import { visitContainers } from './visit.js';

interface Seen {
  readonly path: FieldPath;
  readonly port: V1ContainerPort;
}

/** Warnings for ports of a pod that meet each other: same number and protocol, or same name. */
export function portWarnings(spec: V1PodSpec, path: FieldPath, warnings: string[]): void {
  const byNumber = new Map<string, Seen[]>();
  visitContainers(spec, path, (container, at) => {
    container.ports?.forEach((port, i) => {
      const here = at().child('ports').index(i);
      if (port.hostIP && !port.hostPort) warnings.push(`${here}: hostIP set without hostPort: ${goStruct(port)}`);
      const key = `${port.containerPort}/${port.protocol ?? ''}`;
      const others = byNumber.get(key) ?? [];
      for (const other of others) {
        const problem = meeting(port, other.port);
        if (problem !== undefined) warnings.push(`${here}: ${problem} port definition with ${other.path}`);
      }
      byNumber.set(key, [...others, { path: here, port }]);
    });
  });
  const byName = new Map<string, FieldPath>();
  visitContainers(spec, path, (container, at) => {
    container.ports?.forEach((port, i) => {
      if (!port.name) return;
      const here = at().child('ports').index(i);
      const other = byName.get(port.name);
      if (other === undefined) byName.set(port.name, here);
      else {
        warnings.push(`${here}: duplicate port name ${JSON.stringify(port.name)} with ${other}, services and probes that select ports by name will use ${other}`);
      }
    });
  });
}

function meeting(a: V1ContainerPort, b: V1ContainerPort): string | undefined {
  const [ipA, ipB, portA, portB] = [a.hostIP ?? '', b.hostIP ?? '', a.hostPort ?? 0, b.hostPort ?? 0];
  if (ipA === ipB && portA === portB) return 'duplicate';
  if (portA === 0 || portB === 0) return 'overlapping';
  return portA === portB && (ipA === '') !== (ipB === '') ? 'dangerously ambiguous' : undefined;
}

/** A port the way upstream's message shows it. */
function goStruct(port: V1ContainerPort): string {
  return `{Name:${port.name ?? ''} HostPort:${port.hostPort ?? 0} ContainerPort:${port.containerPort} Protocol:${port.protocol ?? ''} HostIP:${port.hostIP ?? ''}}`;
}
