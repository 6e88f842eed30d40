import { arch, platform, version } from 'node:process';

const PLATFORMS: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** What `/version` answers: the level of the API, and ourselves as a suffix. */
export const VERSION_INFO = Object.freeze({
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.0-kube.0.1.0',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${version.slice(1)}`,
  compiler: 'v8',
  platform: `${platform}/${PLATFORMS[arch] ?? arch}`,
});
