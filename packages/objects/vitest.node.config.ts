import { packageProject } from '../../scripts/checks/projects/package-tests.ts'

// The vectors alone, with OpenSSL.
export default packageProject('objects', { runtime: 'node' }, { test: { exclude: ['src/**', 'test/*.test.ts'] } })
