import { packageProject } from '../../scripts/checks/projects/package-tests.ts'

/** What needs no browser. `scripts/checks/browser` has the pages. */
export default packageProject('console', { runtime: 'node' })
