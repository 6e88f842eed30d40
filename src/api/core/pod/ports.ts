import type { V1Container, V1ContainerPort } from '../../generated/types.js';
import { duplicate, invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { portName, portNumber } from '../../meta/validation/numbers.js';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

/** Rules of a container's `ports`. */
export function checkContainerPorts(ports: readonly V1ContainerPort[] | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!ports?.length) return;
  const names = new Set<string>();
  ports.forEach((port, i) => {
    const at = path.index(i);
    if (port.name) {
      const messages = portName(port.name);
      for (const message of messages) errors.push(invalid(at.child('name'), port.name, message));
      if (messages.length === 0) {
        if (names.has(port.name)) errors.push(duplicate(at.child('name'), port.name));
        names.add(port.name);
      }
    }
    if (!port.containerPort) errors.push(required(at.child('containerPort')));
    else for (const message of portNumber(port.containerPort)) errors.push(invalid(at.child('containerPort'), port.containerPort, message));
    if (port.hostPort) for (const message of portNumber(port.hostPort)) errors.push(invalid(at.child('hostPort'), port.hostPort, message));
    if (!port.protocol) errors.push(required(at.child('protocol')));
    else if (!PROTOCOLS.includes(port.protocol)) errors.push(notSupported(at.child('protocol'), port.protocol, PROTOCOLS));
  });
}

/** The same port of the same address of the node may be taken once only among these containers. */
export function checkHostPortConflicts(containers: readonly V1Container[], path: FieldPath, errors: FieldError[]): void {
  let taken: Set<string> | undefined;
  containers.forEach((container, i) => {
    container.ports?.forEach((port, j) => {
      if (!port.hostPort) return;
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      taken ??= new Set();
      if (taken.has(key)) errors.push(duplicate(path.index(i).child('ports').index(j).child('hostPort'), key));
      taken.add(key);
    });
  });
}
