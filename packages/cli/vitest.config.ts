import { packageProject } from '../../scripts/checks/projects/package-tests.ts'

export default packageProject(
  'cli',
  { runtime: 'node' },
  { test: { setupFiles: ['scripts/checks/projects/remembered-keys.ts'] } },
)
