// Objects that more than one scenario sends.

/** A Deployment of two containers, or an object of a kind with the same fields; `turn` makes its variables differ. */
export const workload = (kind, apiVersion, name, turn) => ({
  apiVersion,
  kind,
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: ['main', 'side'].map((container) => ({
          name: container,
          image: `registry.example/${container}:1.0`,
          args: ['--flag', 'value'],
          env: Array.from({ length: 5 }, (_, i) => ({ name: `VAR_${i}`, value: `value ${i} ${turn}` })),
          ports: [{ name: container, containerPort: container === 'main' ? 80 : 81, protocol: 'TCP' }],
          resources: { requests: { cpu: '10m', memory: '10Mi' } },
        })),
      },
    },
  },
});
