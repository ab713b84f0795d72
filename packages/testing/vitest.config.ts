import { packageProject } from '../../scripts/lib/package-tests.ts'

export default packageProject('testing', { runtime: 'node' })
