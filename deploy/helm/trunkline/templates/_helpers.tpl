{{- define "trunkline.fullname" -}}
{{- if contains "trunkline" .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-trunkline" (.Release.Name | trunc 43 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "trunkline.selector" -}}
app.kubernetes.io/name: trunkline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "trunkline.labels" -}}
{{ include "trunkline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "trunkline.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "trunkline.fullname" .) -}}
{{- end -}}

{{- define "trunkline.image" -}}
{{- $repository := required "image.repository is missing: name the image that you built or mirror." .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Values that contradict each other, in words. */}}
{{- define "trunkline.check" -}}
{{- if and .Values.database.postgres (not .Values.existingSecret) -}}
{{- fail "database.postgres needs existingSecret: a Secret with the keys database_url and master_key." -}}
{{- end -}}
{{- if and .Values.metrics.enabled (not .Values.existingSecret) -}}
{{- fail "metrics.enabled needs existingSecret: a Secret with the key metrics_token." -}}
{{- end -}}
{{- if and .Values.provision.enabled (not .Values.existingSecret) -}}
{{- fail "provision.enabled needs existingSecret: a Secret with the key provision.yaml." -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) -}}
{{- fail "metrics.serviceMonitor.enabled needs metrics.enabled." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.enabled needs ingress.hosts." -}}
{{- end -}}
{{- if and (eq .Values.strategy "RollingUpdate") (not .Values.database.postgres) -}}
{{- fail "strategy RollingUpdate needs database.postgres: two processes do not share one SQLite file." -}}
{{- end -}}
{{- end -}}

{{- define "trunkline.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{- .Values.publicUrl -}}
{{- else if .Values.ingress.enabled -}}
{{- printf "%s://%s" (ternary "https" "http" (gt (len .Values.ingress.tls) 0)) (first .Values.ingress.hosts) -}}
{{- end -}}
{{- end -}}
