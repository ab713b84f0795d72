import { packageProject } from '../../scripts/lib/package-tests.ts'

export default packageProject('protocol', { runtime: 'workerd' })
