import { packageProject } from '../../scripts/checks/projects/package-tests.ts'

// `test/` holds what needs OpenSSL; vitest.node.config.ts runs it.
export default packageProject('protocol', { runtime: 'workerd' }, { test: { exclude: ['test/**'] } })
