import { configz } from './configz.js';
import { disabledEndpoint } from './disabled-endpoints.js';

test.each([
  ['/logs/', 'logs endpoint is disabled.'], ['/logs', 'logs endpoint is disabled.'], ['/logs/syslog', 'logs endpoint is disabled.'], ['/logsx', undefined],
  ['/debug/pprof/heap', 'profiling endpoint is disabled.'], ['/debug/flags/v', 'flags endpoint is disabled.'], ['/debug/flags/v/1', undefined], ['/pods', undefined],
])('%s: %s', (path, message) => {
  expect(disabledEndpoint(path)).toBe(message);
});

test('the configuration that is shown says so', () => {
  const shown = configz({ address: '127.0.0.1', port: 10250, maxPods: 110, leaseSeconds: 40, statusReportSeconds: 300 });
  expect(shown).toMatchObject({ kubeletconfig: { enableSystemLogHandler: false, enableProfilingHandler: false, enableDebugFlagsHandler: false } });
});
