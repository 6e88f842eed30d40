{{- define "shop.pod" -}}
metadata:
  labels: { app: {{ .name }}, release: {{ .root.Release.Name }} }
spec:
  serviceAccountName: {{ .root.Release.Name }}
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  containers:
    - name: main
      image: "shop:{{ .root.Values.tag }}"
      env: [{ name: COLOR, valueFrom: { configMapKeyRef: { name: {{ .root.Release.Name }}-settings, key: color } } }]
      envFrom: [{ secretRef: { name: {{ .root.Release.Name }}-password } }]
      ports: [{ name: http, containerPort: 8080 }]
      resources: { requests: { cpu: 10m, memory: 16Mi } }
{{- end -}}
