import { packageProject } from '../../scripts/checks/projects/package-tests.ts'

// The same tests and the same golden vectors as in workerd.
export default packageProject('fingerprint', { runtime: 'node' })
